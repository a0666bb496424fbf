# locationd: what a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BUILD_PACKAGES := libgps-dev libsystemd-dev libexpat1-dev libsqlite3-dev zlib1g-dev pkg-config
PACKAGING_PACKAGES := dpkg-dev valgrind python3-venv
HOW_TO_INSTALL := On Debian: make packages. On Fedora: dnf install gpsd-devel systemd-devel expat-devel \
	sqlite-devel zlib-devel pkgconf. On Arch: pacman -S gpsd systemd-libs expat sqlite zlib pkgconf.
TEST_PACKAGES := $(BUILD_PACKAGES) gpsd gpsd-clients gpsbabel tmux python3-distutils python3-venv dbus-daemon libglib2.0-bin
SYSTEM_PACKAGES := systemd-container mmdebstrap man-db $(PACKAGING_PACKAGES)
VENV := .build/python
MAP := .build/map
BIN := .build/release
DEMO := .build/demo
DEB := .build/deb
VERSION := $(shell sed -n 's/.*serviceVersion = "\(.*\)"/\1/p' Sources/LocationInterface/Release.swift)

# Where `make install` puts things.
PREFIX ?= /usr/local
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
DBUS_POLICIES ?= /etc/dbus-1/system.d
DBUS_SERVICES ?= $(PREFIX)/share/dbus-1/system-services

# The libraries that a build needs, by their names for pkg-config.
LIBRARIES := libgps libsystemd expat sqlite3 zlib

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

.PHONY: help
help: ## Show this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

.PHONY: packages
packages: ## Install what a build and the Debian packages need (Debian and its derivatives)
	$(call install,$(BUILD_PACKAGES) $(PACKAGING_PACKAGES))

.PHONY: libraries
libraries:
	@command -v pkg-config >/dev/null || { echo "pkg-config is missing. $(HOW_TO_INSTALL)" >&2; exit 1; }; \
	missing=$$(for library in $(LIBRARIES); do pkg-config --exists $$library || echo $$library; done); \
	[ -z "$$missing" ] || { echo "Missing libraries (with their headers):" $$missing. "$(HOW_TO_INSTALL)" >&2; exit 1; }

# With the Swift runtime inside, so that they run where there is none. lld packs the relocations and leaves out the symbols
# that only a dynamic library would need: 6 MB for the two programs. libgps is inside too, where there is libgps.a: its
# shared library has another name with every release of Debian, and brings the bus and the C++ library, of which nothing
# is used. So is the little that Swift's runtime uses of the C++ library, which would take 1 MB of memory as a whole. The
# packages put the functions that run at a start side by side, as listed by `make order`: 11.0 MB of memory, 14.2 without.
STATIC := $(CURDIR)/.build/static
ORDER := $(CURDIR)/.build/locationd.order
RELEASE := PKG_CONFIG_PATH=$(STATIC) swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC) \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic \
	-Xlinker --symbol-ordering-file=$(ORDER) -Xlinker --no-warn-symbol-ordering

# Dispatch has a strlcpy, too, so libgps's get other names; and what listens on the bus is left out, with what it would need.
LIBGPS := $(foreach name,strlcpy strlcat,--redefine-sym=$(name)=gps_$(name)) \
	$(foreach name,gps_dbus_open gps_dbus_mainloop,--weaken-symbol=$(name))

.PHONY: static
static: libraries
	@mkdir -p $(STATIC); [ -e $(ORDER) ] || touch $(ORDER); library=$$(clang -print-file-name=libstdc++.a); [ ! -f "$$library" ] || ln -sf "$$library" $(STATIC)
	@library=$$(pkg-config --variable=libdir libgps)/libgps.a; [ ! -f "$$library" ] || { \
		objcopy $(LIBGPS) "$$library" $(STATIC)/libgps-inside.a && \
		sed 's|^Libs:.*|Libs: -L$(STATIC) -l:libgps-inside.a|' "$$(pkg-config --variable=pcfiledir libgps)/libgps.pc" \
			> $(STATIC)/libgps.pc; }

.PHONY: build
build: static ## Build the daemon and its CLI, optimised
	$(RELEASE) --product locationd
	$(RELEASE) --product locationctl

# The demonstration runs as whoever calls it, with files of its own under .build. GPSD=localhost:2947 reads a real gpsd
# instead of the recorded track; COUNT=5 ends after five locations.
.PHONY: run
run: packages build ## Show the main job on a recorded track (GPSD=host:port for a real gpsd, COUNT=n to end)
	@umask 022; mkdir -p $(DEMO)/clients.d $(DEMO)/state; chmod go-w $(DEMO) $(DEMO)/clients.d
	@umask 022; cli=$$(readlink -f $(BIN)/locationctl); \
	sed "s|@DIRECTORY@|$(CURDIR)/$(DEMO)|; s|@LOCATIONCTL@|$$cli|" Config/demo/locationd.plist > $(DEMO)/locationd.plist; \
	sed "s|@LOCATIONCTL@|$$cli|" Config/demo/locationctl.plist > $(DEMO)/clients.d/locationctl.plist
	@set -m; \
	$(BIN)/locationd --config $(DEMO)/locationd.plist --socket $(DEMO)/socket --state-directory $(DEMO)/state \
		$(if $(GPSD),--gpsd $(GPSD),--replay Config/demo/track.json) & \
	daemon=$$!; trap 'kill $$daemon; wait $$daemon' EXIT; trap 'exit 0' INT TERM; \
	until [ -S $(DEMO)/socket ] || ! kill -0 $$daemon 2>/dev/null; do read -rt 0.05 <> <(:) || :; done; \
	export LOCATIOND_SOCKET=$(DEMO)/socket; \
	echo '$$ locationctl status'; $(BIN)/locationctl status; \
	echo '$$ locationctl get'; $(BIN)/locationctl get; \
	echo '$$ locationctl watch$(if $(COUNT), --count $(COUNT))'; \
	$(BIN)/locationctl watch $(if $(COUNT),--count $(COUNT))

# The map's page and data, as they are installed. Downloads stay beside, so that a second run fetches nothing.
.PHONY: map-data
map-data: $(MAP)/world.mbtiles ## Fetch and make the map's data, and lay out its page
	@ln -sf $(CURDIR)/Sources/LocationMap/Page/* $(CURDIR)/Config/packaging/map/credits.html $(MAP)/page/
	@mkdir -p $(MAP)/streets; ln -sf $(CURDIR)/Config/packaging/map/streets/* $(MAP)/streets/

# The index of the world's places is made by the writer that makes those of extracts.
$(MAP)/world.mbtiles: $(wildcard Config/packaging/map/*.* Config/packaging/map/build) \
		$(wildcard Sources/PlaceSearch/PlaceIndex* Sources/PlaceSearch/Resources/*)
	@$(MAKE) -s $(VENV)/pillow static
	$(RELEASE) --product place-index
	PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python3 Config/packaging/map/build .build/map-downloads $(MAP) $(BIN)/place-index
	@touch $@

# Real extracts of OpenStreetMap, fetched once: the tests of places and of tiles read them, and osmium reads them for those.
MAP_FIXTURES := .build/map-fixtures

.PHONY: map-fixtures
map-fixtures: ## Fetch the OpenStreetMap extracts that the tests read
	$(call install,osmium-tool)
	@[ -x $(VENV)/bin/pip ] || $(MAKE) -s $(VENV)/bin/pip
	@$(VENV)/bin/python3 -B Tests/MapFixtures/fetch $(MAP_FIXTURES)

# Paths under /usr that files name become paths under PREFIX.
define place
	sed 's,/usr/\(bin\|sbin\|share/locationd\|libexec/locationd\)/,$(PREFIX)/\1/,g' $(1) | install -D -m 644 /dev/stdin '$(DESTDIR)$(2)'
endef

define completions
	$(BIN)/locationctl --generate-completion-script $(1) | install -D -m 644 /dev/stdin '$(DESTDIR)$(2)'
endef

.PHONY: build-map
build-map: static map-data ## Build the map program, optimised, and its data
	$(RELEASE) --product locationctl-map

.PHONY: install
install: ## Install what `make build` built (PREFIX=/usr/local, DESTDIR=)
	install -D $(BIN)/locationd '$(DESTDIR)$(PREFIX)/sbin/locationd'
	install -D $(BIN)/locationctl '$(DESTDIR)$(PREFIX)/bin/locationctl'
	strip --strip-unneeded --remove-section=.comment \
		'$(DESTDIR)$(PREFIX)/sbin/locationd' '$(DESTDIR)$(PREFIX)/bin/locationctl'
	$(call place,systemd/locationd.service,$(PREFIX)/lib/systemd/system/locationd.service)
	$(call place,systemd/locationd.socket,$(PREFIX)/lib/systemd/system/locationd.socket)
	$(call place,systemd/locationd-agent.service,$(PREFIX)/lib/systemd/user/locationd-agent.service)
	$(call place,systemd/locationd.sysusers,$(PREFIX)/lib/sysusers.d/locationd.conf)
	$(call place,systemd/locationd.catalog,$(PREFIX)/lib/systemd/catalog/locationd.catalog)
	$(call place,Config/clients.d/org.locationd.locationctl.plist,$(PREFIX)/share/locationd/clients.d/org.locationd.locationctl.plist)
	install -m 644 $(filter-out Config/clients.d/org.locationd.%,$(wildcard Config/clients.d/*)) \
		'$(DESTDIR)$(PREFIX)/share/locationd/clients.d/'
	install -D -m 644 Config/dbus/org.locationd.conf '$(DESTDIR)$(DBUS_POLICIES)/org.locationd.conf'
	install -D -m 644 Config/dbus/org.freedesktop.GeoClue2.service '$(DESTDIR)$(DBUS_SERVICES)/org.freedesktop.GeoClue2.service'
	$(call place,Config/packaging/man/locationd.8,$(PREFIX)/share/man/man8/locationd.8)
	$(call place,Config/packaging/man/locationctl.1,$(PREFIX)/share/man/man1/locationctl.1)
	$(call place,Config/packaging/man/locationd.plist.5,$(PREFIX)/share/man/man5/locationd.plist.5)
	$(call completions,bash,$(PREFIX)/share/bash-completion/completions/locationctl)
	$(call completions,zsh,$(ZSH_COMPLETIONS)/_locationctl)
	$(call completions,fish,$(PREFIX)/share/fish/vendor_completions.d/locationctl.fish)
	install -d '$(DESTDIR)/etc/locationd/clients.d'
	[ -e '$(DESTDIR)/etc/locationd/locationd.plist' ] || { $(call place,Config/locationd.plist,/etc/locationd/locationd.plist); }

# The map is a package of its own, since it brings a web server, a page and a world. Nothing of `make install` needs it.
.PHONY: install-map
install-map: ## Install what `make build-map` built (PREFIX=/usr/local, DESTDIR=)
	install -D $(BIN)/locationctl-map '$(DESTDIR)$(PREFIX)/libexec/locationd/locationctl-map'
	strip --strip-unneeded --remove-section=.comment '$(DESTDIR)$(PREFIX)/libexec/locationd/locationctl-map'
	$(call place,Config/clients.d/org.locationd.map.plist,$(PREFIX)/share/locationd/clients.d/org.locationd.map.plist)
	install -d '$(DESTDIR)$(PREFIX)/share/locationd/map/page' '$(DESTDIR)/var/lib/locationd-map'
	install -m 644 $(MAP)/*.mbtiles $(MAP)/world.places '$(DESTDIR)$(PREFIX)/share/locationd/map/'
	install -m 644 $(MAP)/page/* '$(DESTDIR)$(PREFIX)/share/locationd/map/page/'
	install -d '$(DESTDIR)$(PREFIX)/share/locationd/map/streets'
	install -m 644 $(MAP)/streets/* '$(DESTDIR)$(PREFIX)/share/locationd/map/streets/'

.PHONY: deb
deb: order ## Make a Debian package
	rm -rf $(DEB)
	$(MAKE) -s install DESTDIR=$(CURDIR)/$(DEB)/root PREFIX=/usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions \
		DBUS_POLICIES=/usr/share/dbus-1/system.d DBUS_SERVICES=/usr/lib/dbus-1/system-services
	gzip -9n $(DEB)/root/usr/share/man/man?/*
	install -D -m 644 Config/packaging/debian/copyright $(DEB)/root/usr/share/doc/locationd/copyright
	install -d $(DEB)/root/DEBIAN $(DEB)/debian
	install -m 755 Config/packaging/debian/postinst Config/packaging/debian/prerm Config/packaging/debian/postrm $(DEB)/root/DEBIAN
	install -m 644 Config/packaging/debian/conffiles $(DEB)/root/DEBIAN
	cp Config/packaging/debian/control $(DEB)/debian
	sed "s|@VERSION@|$(VERSION)|; s|@DATE@|$$(date -R)|" Config/packaging/debian/changelog > $(DEB)/debian/changelog
	cd $(DEB) && dpkg-shlibdeps -Tsubstvars root/usr/sbin/locationd root/usr/bin/locationctl && dpkg-gencontrol -Proot -Tsubstvars
	dpkg-deb --root-owner-group -Zxz --build $(DEB)/root $(DEB)
	@size() { echo "$$1: $$(( ($$2 + 512) / 1024 )) MB"; }; \
	size "to download" $$(du -k --apparent-size $(DEB)/*.deb | cut -f1); size "installed" $$(du -ks --apparent-size $(DEB)/root/usr | cut -f1)

.PHONY: deb-map
deb-map: build-map ## Make a Debian package of the map
	rm -rf $(DEB)-map
	$(MAKE) -s install-map DESTDIR=$(CURDIR)/$(DEB)-map/root PREFIX=/usr
	install -D -m 644 Config/packaging/debian/map/copyright $(DEB)-map/root/usr/share/doc/locationd-map/copyright
	install -d $(DEB)-map/root/DEBIAN $(DEB)-map/debian
	install -m 755 Config/packaging/debian/map/postinst Config/packaging/debian/map/postrm $(DEB)-map/root/DEBIAN
	cp Config/packaging/debian/map/control $(DEB)-map/debian
	sed "s|@VERSION@|$(VERSION)|; s|@DATE@|$$(date -R)|" Config/packaging/debian/changelog > $(DEB)-map/debian/changelog
	cd $(DEB)-map && dpkg-shlibdeps -Tsubstvars root/usr/libexec/locationd/locationctl-map && \
		dpkg-gencontrol -Proot -Tsubstvars
	dpkg-deb --root-owner-group -Zxz --build $(DEB)-map/root $(DEB)-map

$(VENV)/bin/pip:
	@python3 -m venv $(VENV) || { rm -rf $(VENV); echo "Python cannot make environments: make packages" >&2; exit 1; }

$(VENV)/pillow: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pillow==12.0.0
	@touch $@

$(VENV)/ready: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q varlink==31.0.0 asyncvarlink==0.3.3
	@touch $@

# One process a target: the tests of one start gpsds, terminals and programs that those of another would inherit.
TEST_TARGETS := $(notdir $(wildcard Tests/*Tests)) FuzzTests

.PHONY: test
test: ## Run the tests, those in a booted Debian in a short form
	$(call install,$(TEST_PACKAGES) $(SYSTEM_PACKAGES))
	@rm -rf .build/tests
	@$(MAKE) -s $(VENV)/ready map-fixtures map-data
	@Tests/part build swift build --build-tests
	@set -e; for target in $(TEST_TARGETS); do \
		LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 \
			Tests/part $$target swift test --skip-build --filter "^$$target\\."; \
	done
	@Tests/part test-map $(MAKE) -s test-map
	@Tests/part soak env MINUTES=0.5 .build/debug/soak
	@Tests/part build-without-apt Tests/build-without-apt
	@Tests/part system-test Tests/System/run --if-possible inuse story notifications geoclue
	@Tests/part

# gpsd's test suite is in the directory test/daemon of its sources. Its recordings are not repeated here.
.PHONY: test-recordings
test-recordings: ## Compare with the recordings of gpsd's own test suite (LOGS=directory)
	swift build --build-tests
	LOCATIOND_GPSD_LOGS='$(abspath $(LOGS))' swift test --skip-build \
		--filter '^(LocationSourcesTests\.(GoldenTests|GPSDLineTests)|MotionEstimationTests\.AimTests)'

# `make test` compiles these programs within this package; here they are a package that has only the products of this one. It
# compiles all that the products depend on again.
OUTSIDER := .build/outsider

.PHONY: test-outsider
test-outsider: libraries ## Build and run programs that use the libraries as a package of their own does
	swift build --package-path Tests/Outsider --scratch-path $(OUTSIDER)
	swift build --product locationd
	Tests/Outsider/run $(OUTSIDER)/debug .build/debug/locationd

BROWSER_PACKAGES := chromium libegl-mesa0 libgl1-mesa-dri fonts-noto-core
REGION_PACKAGES := tilemaker osmium-tool

$(VENV)/browser: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pytest==9.0.1 playwright==1.65.2 axe-playwright-python==0.1.8
	@touch $@

# Pictures of what was seen are in .build/map-pictures.
.PHONY: test-map
test-map: ## Test the map in a browser (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) python3-venv $(BROWSER_PACKAGES) $(REGION_PACKAGES))
	@$(MAKE) -s map-data map-fixtures $(VENV)/browser
	@set -e; for product in locationd locationctl-map MapExamples; do swift build --product $$product; done
	cd Tests/Map && $(CURDIR)/$(VENV)/bin/python3 -B -m pytest -q -p no:cacheprovider $(if $(TEST),-k '$(TEST)')

# Each sanitizer has a build of its own. What the Swift runtime and XCTest never let go of is no leak of ours. Some tests mean
# nothing here: one counts wake-ups, and the thread sanitizer has a thread of its own that wakes; one has two dozen gpsds
# play in real time; one measures memory, and crowds of 10,000 take too long.
SANITIZERS ?= thread address
REAL_TIME := 'LifecycleTests/idleness|GoldenTests/throughGPSD|FaultTests/deafClients|CrowdTests'

.PHONY: sanitize
sanitize: ## Run the tests under sanitizers (SANITIZERS="thread address", TEST=target)
	$(call install,$(TEST_PACKAGES))
	@$(MAKE) -s $(VENV)/ready
	@set -e; for sanitizer in $(SANITIZERS); do \
		swift build --build-tests --sanitize=$$sanitizer --scratch-path .build/sanitize/$$sanitizer; \
		for target in $(or $(TEST),$(TEST_TARGETS)); do \
			echo "== $$target, $$sanitizer sanitizer"; \
			ASAN_OPTIONS=detect_leaks=0 \
				TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.supp:atexit_sleep_ms=0 \
				LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 \
				swift test --skip-build --sanitize=$$sanitizer --scratch-path .build/sanitize/$$sanitizer \
				--filter "^$$target\\." --skip $(REAL_TIME); \
		done; \
	done

.PHONY: fuzz
fuzz: ## Feed what takes input from strangers whatever libFuzzer makes up (FUZZ=target, SECONDS=60 for each)
	$(call install,$(BUILD_PACKAGES))
	Tests/Fuzz/run $(or $(SECONDS),60) $(FUZZ)

.PHONY: system-test
system-test: ## Install the package in a booted Debian and test it there (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run $(TEST)

.PHONY: desktop-test
desktop-test: ## Test with the programs of a desktop in a booted Debian (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run --desktop $(TEST)

.PHONY: bench
bench: build ## Measure the daemon beside a minimal broadcaster in C (QUICK=1 for a short run)
	$(RELEASE) --product broadcaster
	$(RELEASE) --product benchmarks
	$(CC) -shared -fPIC -O2 -Wall -Werror -o $(BIN)/libSlowSync.so Tests/Benchmarks/slow_sync.c
	$(BIN)/benchmarks
	python3 Tests/Benchmarks/lock_storm.py $(BIN)/locationd $(if $(QUICK),500)
	@$(MAKE) -s bench-tracking

# The list fits one build: names that are gone have no effect, and the linker says nothing of them.
.PHONY: order
order: build ## List the functions that run at a start, and link the daemon in that order
	@command -v valgrind >/dev/null || { echo "valgrind is missing: make packages" >&2; exit 1; }
	Config/packaging/order $(ORDER)
	@rm $(BIN)/locationd
	@$(MAKE) -s build

.PHONY: soak
soak: build ## Load the daemon with all that may happen, and see that nothing stays behind (MINUTES=10, SEED=n)
	$(RELEASE) --product soak
	MINUTES=$(MINUTES) SEED=$(SEED) $(BIN)/soak .build/soak.svg

.PHONY: bench-geoclue
bench-geoclue: build ## Measure 50 programs that ask GeoClue beside GeoClue itself
	$(call install,geoclue-2.0 dbus)
	$(RELEASE) --product broadcaster
	$(RELEASE) --product benchmarks
	python3 Tests/Benchmarks/geoclue.py $(BIN)/locationd /usr/libexec/geoclue $(BIN)/benchmarks $(if $(QUICK),10,30)

.PHONY: bench-tracking
bench-tracking: ## Measure the position of follow mode against the truth (QUICK=1 for a short run)
	$(RELEASE) --product tracking-benchmark
	$(BIN)/tracking-benchmark

.PHONY: bench-map
bench-map: build build-map ## Measure the map: its layout, its server and its pages (QUICK=1 for a short run)
	$(RELEASE) --product map-benchmark
	$(RELEASE) --product map-server-benchmark
	$(BIN)/map-benchmark
	$(BIN)/map-server-benchmark

# Each catalogue with the symbols of its own module. A warning is an error.
DOCS := .build/docs
DOCC := $(shell dirname $$(readlink -f $$(command -v swift)))/docc
.PHONY: docs
docs: libraries ## Make the documentation of the libraries and the service, in .build/docs
	swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members > .build/symbol-graphs.log 2>&1 || \
		{ cat .build/symbol-graphs.log >&2; exit 1; }
	@graphs=$$(sed -n 's/^Files written to //p' .build/symbol-graphs.log); set -e; \
	for module in LocationClient LocationMap LocationDaemon; do \
		rm -rf $(DOCS)/$$module*; mkdir -p $(DOCS)/$$module.symbols; \
		cp $$graphs/$$module.symbols.json $(DOCS)/$$module.symbols; \
		$(DOCC) convert Sources/$$module/$$module.docc --additional-symbol-graph-dir $(DOCS)/$$module.symbols \
			--fallback-display-name $$module --fallback-bundle-identifier org.locationd.$$module \
			--warnings-as-errors --output-path $(DOCS)/$$module.doccarchive; \
		echo "$(DOCS)/$$module.doccarchive"; \
	done

.PHONY: bench-search
bench-search: map-data map-fixtures ## Measure search: its answers to a table of queries, its times, its memory (TABLE=file)
	$(RELEASE) --product search-benchmark
	$(BIN)/search-benchmark $(TABLE)

.PHONY: bench-map-add
bench-map-add: build-map map-fixtures ## Measure how regions are made, and their tiles served (QUICK=1 for a short run)
	$(call install,$(REGION_PACKAGES))
	python3 -B Tests/Benchmarks/map_add.py $(BIN) $(MAP_FIXTURES)/liechtenstein.osm.pbf $(MAP)/streets $(MAP) \
		$(if $(QUICK),4,40)

.PHONY: texts
texts: ## Renew the list of all texts that people read, and show it
	Tests/Texts/extract > Tests/Texts/texts.txt
	@cat Tests/Texts/texts.txt

.PHONY: listings
listings: ## Renew the listings of the documentation that the tests compile
	Tests/Outsider/listings LocationClient > Tests/Outsider/Sources/Outsider/Listings.swift
	Tests/Outsider/listings LocationMap > Tests/Outsider/Sources/MapOutsider/Listings.swift

.PHONY: lint
lint: ## Check the format of the sources
	swift format lint --strict -r Sources Tests Package.swift

.PHONY: format
format: ## Format the sources
	swift format -i -r Sources Tests Package.swift

.PHONY: clean
clean: ## Remove what was built
	rm -rf .build
