#!/usr/bin/env bash
# Runs Schemathesis with the formats of the hosts. Requests that the description allows must get the
# responses that it describes, and others must be refused. Needs Go and Python 3 with venv; installs
# Schemathesis for the time of the run.
#
#	./schemathesis.sh [EXAMPLES [SEED]]   the number of requests for each operation (50), and the seed (1)
set -euo pipefail
cd "$(dirname "$0")"
examples=${1:-50}
seed=${2:-1}

work=$(mktemp -d)
servers=()
cleanup() {
	for server in "${servers[@]}"; do
		kill "$server" 2>/dev/null || true
	done
	wait
	rm -rf "$work"
}
trap cleanup EXIT

python3 -m venv "$work/venv"
for pause in 5 20 60 0; do # the registry may not be reached at once
	"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r testdata/schemathesis/requirements.txt && break
	[ $pause -gt 0 ] || exit 1
	sleep $pause
done
(cd ../.. && go build -o "$work/host" ./examples/host)
go build -o "$work/serve" ./serve

# start NAME COMMAND... starts a server and sets origin to the address that it prints.
start() {
	local log=$work/$1.log
	shift
	: >"$log"
	"$@" >"$log" 2>"$log.errors" &
	servers+=($!)
	for _ in $(seq 1200); do
		origin=$(sed -n 's|^listening on \(http://[^/]*\)/$|\1|p' "$log")
		[ -z "$origin" ] || return 0
		sleep 0.1
	done
	echo "$* did not start:"
	cat "$log" "$log.errors"
	exit 1
}

# try ADDRESS FORM OPTION... reads a form below the address. The credentials are in
# schemathesis.toml.
cp schemathesis.toml "$work"
try() {
	local address=$1 form=$2
	shift 2
	printf '\n-- %s/api-docs/%s.json\n' "$address" "$form"
	(cd "$work" && venv/bin/schemathesis run "$address/api-docs/$form.json" --checks all --max-examples "$examples" --seed "$seed" --no-color "$@")
}

# The catalog responds to other methods with 404, which is the router's default, not with 405.
start cafe "$work/host" -addr 127.0.0.1:0 -base /shop
try "$origin/shop" openapi --exclude-checks unsupported_method
try "$origin/shop" swagger --exclude-checks unsupported_method
start cafe-at-root "$work/host" -addr 127.0.0.1:0
try "$origin" openapi --exclude-checks unsupported_method

# /orders has a QUERY, which these formats have in an extension or not at all. To Schemathesis it is
# an undescribed method.
start everything "$work/serve" -api shop -base /a
try "$origin/a" openapi --exclude-path /orders
try "$origin/a" openapi --include-path /orders --exclude-checks unsupported_method,allow_header_conformance

# Swagger 2.0 has one list of media types for all responses of an operation, so a response without a
# body seems to lack its type. It cannot describe forms that allow unknown fields, which Schemathesis
# then expects to be refused.
try "$origin/a" swagger --exclude-path /orders --exclude-checks content_type_conformance,negative_data_rejection
try "$origin/a" swagger --include-path /orders --exclude-checks content_type_conformance,negative_data_rejection,unsupported_method,allow_header_conformance

# The nursery has each kind of input and output. OpenAPI 3.1 is checked first, except for two rules
# that a schema cannot have: the first bytes of a file with a certain type, and that an empty value
# of an optional parameter is treated as missing.
start nursery "$work/serve" -api nursery -base /a
try "$origin/a" openapi --exclude-operation-id upload --exclude-operation-id listItems
try "$origin/a" openapi --include-operation-id upload --exclude-checks positive_data_acceptance
try "$origin/a" openapi --include-operation-id listItems --exclude-checks negative_data_rejection
# The description in OpenAPI 3.0 omits the media types of files in forms and the schemas of events,
# so that ogen can read it.
try "$origin/a" openapi-3.0 --exclude-operation-id upload --exclude-operation-id watchOrders --exclude-operation-id listItems
# Swagger 2.0 has no unions either, and an order contains one.
try "$origin/a" swagger --exclude-checks content_type_conformance,negative_data_rejection \
	--exclude-operation-id upload --exclude-operation-id watchOrders --exclude-operation-id placeOrder
if [ -n "${HUMA:-}" ]; then # for comparison
	start huma "$work/serve" -api huma
	(cd "$work" && venv/bin/schemathesis run "$origin/openapi.json" --checks all --max-examples "$examples" --seed "$seed" --no-color) || true
fi
