.PHONY: build build-xla test ci bench fuzz oracles demo torture

# One static file; no C compiler needed.
build:
	CGO_ENABLED=0 go build -trimpath -o bin/rot ./cmd/rot

# The same with XLA for NVIDIA GPUs: Linux on amd64, and needs a C compiler.
build-xla:
	CGO_ENABLED=1 go build -trimpath -o bin/rot-xla ./cmd/rot

test:
	go test ./...

ci:
	.ci/run

# COUNT=10 gives numbers that benchstat can compare.
COUNT ?= 1
bench:
	go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...

FUZZTIME ?= 1m
fuzz:
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

# N nasty instances against an exact checker; replays of failures are printed.
N ?= 10000
oracles:
	go build -trimpath -o bin/oracles ./bench/peers/oracles/campaign
	bin/oracles -n $(N)

demo:
	go run ./cmd/rot demo

# Kills, broken disks, hostile files, attacks on the dashboard and 10⁷ fuzz runs:
# about an hour on two cores (docs/reliability.md). ARGS=-short takes two minutes.
torture:
	go run ./internal/torture $(ARGS)
