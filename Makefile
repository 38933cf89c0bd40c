# Shortcuts of CONTRIBUTING.md. CI runs .ci/run, which does more.

.PHONY: long lint modules

# Random tests, load and shutdowns with as many rounds as in CI.
long:
	FLOWERCAFE_LONG=1 go test -timeout 20m ./...

lint:
	@unformatted=$$(git ls-files '*.go' | xargs gofmt -l); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	golangci-lint run ./...

modules:
	@set -e; for mod in $$(git ls-files '*/go.mod' | grep -v /testdata/); do \
		dir=$$(dirname $$mod); echo "== module $$dir"; (cd $$dir && go vet ./... && go test ./...); \
	done
