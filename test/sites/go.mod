module example.com/flowercafe/test/sites

go 1.26.0

replace example.com/flowercafe => ../../

require example.com/flowercafe v0.0.0
