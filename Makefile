# locationd: what a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BUILD_PACKAGES := libgps-dev libsystemd-dev libexpat1-dev libsqlite3-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) gpsd gpsd-clients python3-distutils python3-venv
VENV := .build/python
BIN := .build/release
DEMO := .build/demo

# Installs the Debian packages that are missing, if any are.
define install
	@missing=$$(for p in $(1); do dpkg-query -Wf '$${Status}\n' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
		echo "Installing:" $$missing; \
		command -v apt-get >/dev/null || { echo "Not a Debian system: install what corresponds to" $$missing; exit 1; }; \
		sudo=; [ $$(id -u) = 0 ] || sudo=sudo; \
		$$sudo apt-get update -q >/dev/null && \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy --no-install-recommends $$missing >/dev/null; \
	fi
endef

.PHONY: help
help: ## Show this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

.PHONY: packages
packages:
	$(call install,$(BUILD_PACKAGES))

.PHONY: build
build: packages ## Build the daemon and its CLI, optimised
	swift build -c release --product locationd
	swift build -c release --product locationctl

# The demonstration runs as whoever calls it, with files of its own under .build. GPSD=localhost:2947 reads a real gpsd
# instead of the recorded track; COUNT=5 ends after five locations.
.PHONY: run
run: build ## Show the main job on a recorded track (GPSD=host:port for a real gpsd, COUNT=n to end)
	@mkdir -p $(DEMO)/clients.d $(DEMO)/state
	@cli=$$(readlink -f $(BIN)/locationctl); \
	sed "s|@DIRECTORY@|$(CURDIR)/$(DEMO)|; s|@LOCATIONCTL@|$$cli|" Config/demo/locationd.plist > $(DEMO)/locationd.plist; \
	sed "s|@LOCATIONCTL@|$$cli|" Config/demo/locationctl.plist > $(DEMO)/clients.d/locationctl.plist
	@set -m; \
	$(BIN)/locationd --config $(DEMO)/locationd.plist --socket $(DEMO)/socket --state-directory $(DEMO)/state \
		$(if $(GPSD),--gpsd $(GPSD),--replay Config/track.json) & \
	daemon=$$!; trap 'kill $$daemon; wait $$daemon' EXIT; trap 'exit 0' INT TERM; \
	until [ -S $(DEMO)/socket ] || ! kill -0 $$daemon 2>/dev/null; do read -rt 0.05 <> <(:) || :; done; \
	export LOCATIOND_SOCKET=$(DEMO)/socket; \
	echo '$$ locationctl status'; $(BIN)/locationctl status; \
	echo '$$ locationctl get'; $(BIN)/locationctl get; \
	echo '$$ locationctl watch$(if $(COUNT), --count $(COUNT))'; \
	$(BIN)/locationctl watch $(if $(COUNT),--count $(COUNT))

$(VENV)/ready:
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q varlink==31.0.0 asyncvarlink==0.3.3
	@touch $@

.PHONY: test
test: ## Run all tests
	$(call install,$(TEST_PACKAGES))
	@$(MAKE) -s $(VENV)/ready
	swift build --build-tests
	LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 swift test --skip-build

.PHONY: bench
bench: build ## Measure the daemon beside a minimal broadcaster in C (QUICK=1 for a short run)
	swift build -c release --product broadcaster
	swift build -c release --product benchmarks
	$(BIN)/benchmarks

.PHONY: lint
lint: ## Check the format of the sources
	swift format lint --strict -r Sources Tests Package.swift

.PHONY: format
format: ## Format the sources
	swift format -i -r Sources Tests Package.swift

.PHONY: clean
clean: ## Remove what was built
	rm -rf .build
