# locationd: what a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help packages libraries build build-network build-share build-recorder build-map run docs public-api texts listings lint format clean

# Debian packages, for the function `install`.
BUILD_PACKAGES := libgps-dev libsystemd-dev libexpat1-dev libsqlite3-dev zlib1g-dev libcurl4-openssl-dev libmosquitto-dev libpq-dev pkg-config
PACKAGING_PACKAGES := debhelper dh-python valgrind python3-venv python3-pip python3-setuptools python3-wheel
TEST_PACKAGES := $(BUILD_PACKAGES) gpsd gpsd-clients gpsbabel tmux python3-distutils python3-venv dbus-daemon libglib2.0-bin mosquitto python3-paho-mqtt postgresql postgresql-postgis
SYSTEM_PACKAGES := systemd-container mmdebstrap man-db lintian $(PACKAGING_PACKAGES)
REGION_PACKAGES := tilemaker osmium-tool
BROWSER_PACKAGES := chromium libegl-mesa0 libgl1-mesa-dri fonts-noto-core
FIREFOX_PACKAGES := firefox-esr xvfb

# The libraries that a build needs, by their names for pkg-config.
LIBRARIES := libgps libsystemd expat sqlite3 zlib libcurl libmosquitto libpq
HOW_TO_INSTALL := On Debian: make packages. On Fedora: dnf install gpsd-devel systemd-devel expat-devel \
	sqlite-devel zlib-devel libcurl-devel mosquitto-devel libpq-devel pkgconf. On Arch: pacman -S gpsd systemd-libs expat sqlite zlib curl mosquitto postgresql-libs \
	pkgconf.

# SwiftPM keeps the package's traits in a set, and passes them to the compiler in the set's order. That would change from one build to
# the next, and a build with options in another order compiles everything again.
SWIFT_BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build

# A build to work and test with. One compiler for a module, because each of several would read all files of the module first: a build
# from nothing takes a tenth less time on two cores. A build without these options compiles everything again.
DEBUG_BUILD := $(SWIFT_BUILD) -Xswiftc -driver-batch-count -Xswiftc 1

# Everything that is made.
BIN := .build/release
MAP := .build/map
TIME_ZONES := .build/timezones/timezones.grid
VENV := .build/python
DOCS := .build/docs

# Installs the Debian packages that are missing, if any are. For `make packages`, `make run` and targets that test; a build
# installs nothing.
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

help: ## Show this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{ printf "  make %-15s %s\n", $$1, $$2 }'

packages: ## Install what a build and the Debian packages need (Debian and its derivatives)
	$(call install,$(BUILD_PACKAGES) $(PACKAGING_PACKAGES))

libraries:
	@command -v pkg-config >/dev/null || { echo "pkg-config is missing. $(HOW_TO_INSTALL)" >&2; exit 1; }; \
	missing=$$(for library in $(LIBRARIES); do pkg-config --exists $$library || echo $$library; done); \
	[ -z "$$missing" ] || { echo "Missing libraries (with their headers):" $$missing. "$(HOW_TO_INSTALL)" >&2; exit 1; }

build: static ## Build the daemon and its CLI, optimised
	$(RELEASE) --product locationd
	$(RELEASE) --product locationctl

build-network: static ## Build the program that asks a positioning server, optimised
	$(RELEASE) --product locationd-network

build-share: static ## Build the program that shares your position, optimised
	$(RELEASE) --product locationd-share

build-recorder: static ## Build the program that records a fleet, optimised
	$(RELEASE) --product locationd-fleet-recorder

build-map: static map-data ## Build the map program, optimised, and its data
	$(RELEASE) --product locationctl-map

# Not optimised: two thirds of the time on a fresh machine, and what `make test` builds on.
run: packages libraries ## Show the main job on a recorded track (GPSD=host:port for a real gpsd, COUNT=n to end)
	$(DEBUG_BUILD) --product locationd
	$(DEBUG_BUILD) --product locationctl
	@Config/demo/run .build/debug "$(GPSD)" $(COUNT)

include Config/packaging/release.mk
include Config/packaging/install.mk
include Tests/tests.mk
include Tests/Benchmarks/benchmarks.mk

docs: libraries ## Make the documentation of the libraries and the service, in .build/docs
	$(DEBUG_BUILD) --product locationd
	$(DEBUG_BUILD) --product locationctl-map
	@Config/docs .build/debug $(DOCS)

public-api: ## Renew the list of the libraries' public interface, after make docs
	Config/public-api $(DOCS) > Tests/Documentation/public-api.txt

texts: ## Renew the list of all texts that people read, and show it
	Tests/Texts/extract > Tests/Texts/texts.txt
	@cat Tests/Texts/texts.txt

listings: ## Renew the listings and the names of the documentation that the tests compile, and the tables of names
	Tests/Outsider/listings LocationClient > Tests/Outsider/Sources/Outsider/Listings.swift
	Tests/Outsider/listings LocationMap > Tests/Outsider/Sources/MapOutsider/Listings.swift
	Tests/Outsider/names CoreLocation program > Tests/Outsider/Sources/Outsider/Names.swift
	Tests/Outsider/names CoreLocation page > Sources/Client/LocationClient/LocationClient.docc/NamesOfCoreLocation.md
	Tests/Outsider/names MapKit program > Tests/Outsider/Sources/MapOutsider/Names.swift
	Tests/Outsider/names MapKit page > Sources/Map/LocationMap/LocationMap.docc/NamesOfMapKit.md

lint: ## Check the format of the sources
	swift format lint --strict -r Sources Tests Package.swift

format: ## Format the sources
	swift format -i -r Sources Tests Package.swift

clean: ## Remove what was built
	rm -rf .build
