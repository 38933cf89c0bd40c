# The same commands as .ci/run, one by one.

.PHONY: short test long race lint nocgo modules ci

short:
	go test -short ./...

test:
	go test ./...

# Random tests, load and shutdowns with as many rounds as in CI.
long:
	FLOWERCAFE_LONG=1 go test -timeout 20m ./...

race:
	go test -race -shuffle=on -timeout 20m ./...

lint:
	@unformatted=$$(git ls-files '*.go' | xargs gofmt -l); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	golangci-lint run ./...

nocgo:
	CGO_ENABLED=0 go build ./...
	CGO_ENABLED=0 GOARCH=386 go vet ./...

modules:
	@set -e; for mod in $$(git ls-files '*/go.mod' | grep -v /testdata/); do \
		dir=$$(dirname $$mod); echo "== module $$dir"; (cd $$dir && go vet ./... && go test ./...); \
	done

ci:
	.ci/run
