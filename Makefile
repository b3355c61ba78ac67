.PHONY: build build-xla test ci bench fuzz oracles demo release torture wheel

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
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg || exit 1; \
		done; \
	done

# N nasty instances against an exact checker; replays of failures are printed.
N ?= 10000
oracles:
	go build -trimpath -o bin/oracles ./bench/peers/oracles/campaign
	bin/oracles -n $(N)

demo:
	go run ./cmd/rot demo

# What is published, in dist: programs, packages, wheels, checksums. The same
# sources make the same bytes. Needs Go and Python.
VERSION ?= $(shell sed -n 's/__version__ = "\(.*\)"/\1/p' python/rot/_version.py)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE ?= $(shell TZ=UTC git show -s --format=%cd --date=format-local:%Y-%m-%d HEAD 2>/dev/null || echo 1980-01-01)
PYTHON ?= python3
HATCH := bin/hatch
TARGETS ?= # some systems only, such as linux_amd64,darwin_arm64
RELEASE := go run ./internal/release --version $(VERSION) --revision $(REVISION) --date $(DATE) --targets "$(strip $(TARGETS))"

$(HATCH)/bin/python:
	$(PYTHON) -m venv $(HATCH)
	$(HATCH)/bin/python -m pip install -q hatchling==1.27.0

release: $(HATCH)/bin/python
	$(RELEASE) --out dist --python $(CURDIR)/$(HATCH)/bin/python

# The wheels alone: of all systems, or of this one with WHEEL=here.
WHEEL ?= wheels
wheel: $(HATCH)/bin/python
	$(RELEASE) --out dist --python $(CURDIR)/$(HATCH)/bin/python --only $(WHEEL)

# Kills, broken disks, hostile files, attacks on the dashboard and 10⁷ fuzz runs:
# about an hour on two cores (docs/reliability.md). ARGS=-short takes two minutes.
torture:
	go run ./internal/torture $(ARGS)
