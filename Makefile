# locationd: what a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BUILD_PACKAGES := libgps-dev libsystemd-dev libexpat1-dev libjansson-dev libsqlite3-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) gpsd gpsd-clients gpsbabel tmux python3-distutils python3-venv dbus-daemon
SYSTEM_PACKAGES := systemd-container mmdebstrap dpkg-dev man-db
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

# With the Swift runtime inside, so that they run where there is none. lld packs the relocations and leaves out the symbols
# that only a dynamic library would need: 6 MB for the two programs. libgps is inside too, where there is libgps.a: its
# shared library has another name with every release of Debian, and brings the bus and the C++ library, of which nothing
# is used. So is the little that Swift's runtime uses of the C++ library, which would take 1 MB of memory as a whole. What
# runs at a start is put side by side: scattered, that tenth of the program has most of the rest in memory, too.
STATIC := $(CURDIR)/.build/static
RELEASE := PKG_CONFIG_PATH=$(STATIC) swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC) \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Config/locationd.order -Xlinker --no-warn-symbol-ordering

# Dispatch has a strlcpy, too, so libgps's get other names; and what listens on the bus is left out, with what it would need.
LIBGPS := $(foreach name,strlcpy strlcat,--redefine-sym=$(name)=gps_$(name)) \
	$(foreach name,gps_dbus_open gps_dbus_mainloop,--weaken-symbol=$(name))

.PHONY: static
static: packages
	@mkdir -p $(STATIC); library=$$(clang -print-file-name=libstdc++.a); [ ! -f "$$library" ] || ln -sf "$$library" $(STATIC)
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

# The map's page and data, as they are installed. Downloads stay beside, so that a second run fetches nothing.
.PHONY: map-data
map-data: $(MAP)/world.mbtiles ## Fetch and make the map's data, and lay out its page
	@ln -sf $(CURDIR)/Sources/LocationMap/Page/* $(CURDIR)/Config/map/credits.html $(MAP)/page/

$(MAP)/world.mbtiles: $(wildcard Config/map/*)
	@$(MAKE) -s $(VENV)/pillow
	PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python3 Config/map/build .build/map-downloads $(MAP)
	@touch $@

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
	$(call place,Config/man/locationd.8,$(PREFIX)/share/man/man8/locationd.8)
	$(call place,Config/man/locationctl.1,$(PREFIX)/share/man/man1/locationctl.1)
	$(call place,Config/man/locationd.plist.5,$(PREFIX)/share/man/man5/locationd.plist.5)
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
	install -d '$(DESTDIR)$(PREFIX)/share/locationd/map/page'
	install -m 644 $(MAP)/*.mbtiles '$(DESTDIR)$(PREFIX)/share/locationd/map/'
	install -m 644 $(MAP)/page/* '$(DESTDIR)$(PREFIX)/share/locationd/map/page/'

.PHONY: deb
deb: build ## Make a Debian package
	$(call install,dpkg-dev)
	rm -rf $(DEB)
	$(MAKE) -s install DESTDIR=$(CURDIR)/$(DEB)/root PREFIX=/usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions \
		DBUS_POLICIES=/usr/share/dbus-1/system.d DBUS_SERVICES=/usr/lib/dbus-1/system-services
	gzip -9n $(DEB)/root/usr/share/man/man?/*
	install -D -m 644 Config/debian/copyright $(DEB)/root/usr/share/doc/locationd/copyright
	install -d $(DEB)/root/DEBIAN $(DEB)/debian
	install -m 755 Config/debian/postinst Config/debian/prerm Config/debian/postrm $(DEB)/root/DEBIAN
	install -m 644 Config/debian/conffiles $(DEB)/root/DEBIAN
	cp Config/debian/control $(DEB)/debian
	sed "s|@VERSION@|$(VERSION)|; s|@DATE@|$$(date -R)|" Config/debian/changelog > $(DEB)/debian/changelog
	cd $(DEB) && dpkg-shlibdeps -Tsubstvars root/usr/sbin/locationd root/usr/bin/locationctl && dpkg-gencontrol -Proot -Tsubstvars
	dpkg-deb --root-owner-group -Zxz --build $(DEB)/root $(DEB)
	@size() { echo "$$1: $$(( ($$2 + 512) / 1024 )) MB"; }; \
	size "to download" $$(du -k --apparent-size $(DEB)/*.deb | cut -f1); size "installed" $$(du -ks --apparent-size $(DEB)/root/usr | cut -f1)

.PHONY: deb-map
deb-map: build-map ## Make a Debian package of the map
	$(call install,dpkg-dev)
	rm -rf $(DEB)-map
	$(MAKE) -s install-map DESTDIR=$(CURDIR)/$(DEB)-map/root PREFIX=/usr
	install -D -m 644 Config/debian/map/copyright $(DEB)-map/root/usr/share/doc/locationd-map/copyright
	install -d $(DEB)-map/root/DEBIAN $(DEB)-map/debian
	install -m 755 Config/debian/map/postinst Config/debian/map/postrm $(DEB)-map/root/DEBIAN
	cp Config/debian/map/control $(DEB)-map/debian
	sed "s|@VERSION@|$(VERSION)|; s|@DATE@|$$(date -R)|" Config/debian/changelog > $(DEB)-map/debian/changelog
	cd $(DEB)-map && dpkg-shlibdeps -Tsubstvars root/usr/libexec/locationd/locationctl-map && \
		dpkg-gencontrol -Proot -Tsubstvars
	dpkg-deb --root-owner-group -Zxz --build $(DEB)-map/root $(DEB)-map

$(VENV)/bin/pip:
	$(call install,python3-venv)
	python3 -m venv $(VENV)

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
	@$(MAKE) -s $(VENV)/ready
	swift build --build-tests
	@set -e; for target in $(TEST_TARGETS); do \
		echo "== $$target"; \
		LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 swift test --skip-build --filter "^$$target\\."; \
	done
	@$(MAKE) -s test-map
	MINUTES=0.5 .build/debug/soak
	Tests/System/run --if-possible inuse story notifications geoclue

BROWSER_PACKAGES := chromium libegl-mesa0 libgl1-mesa-dri fonts-noto-core

$(VENV)/browser: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pytest==9.0.1 playwright==1.65.2 axe-playwright-python==0.1.8
	@touch $@

# Pictures of what was seen are in .build/map-pictures.
.PHONY: test-map
test-map: map-data ## Test the map in a browser (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(BROWSER_PACKAGES))
	@$(MAKE) -s $(VENV)/browser
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
	$(BIN)/benchmarks
	python3 Tests/Benchmarks/lock_storm.py $(BIN)/locationd $(if $(QUICK),500)
	@$(MAKE) -s bench-tracking

# For a new compiler, or once much has changed: what is not in the list is only further away.
.PHONY: order
order: build ## Find out what the daemon runs at a start, for the linker
	$(call install,valgrind)
	Config/order
	@rm $(BIN)/locationd $(BIN)/locationctl

.PHONY: soak
soak: build ## Load the daemon with all that may happen, and see that nothing stays behind (MINUTES=10, SEED=n)
	$(RELEASE) --product soak
	MINUTES=$(MINUTES) SEED=$(SEED) $(BIN)/soak .build/soak.svg

.PHONY: bench-geoclue
bench-geoclue: build ## Measure 50 programs that ask GeoClue beside GeoClue itself
	$(call install,geoclue-2.0 dbus)
	python3 Tests/Benchmarks/geoclue.py $(BIN)/locationd /usr/libexec/geoclue $(if $(QUICK),10,30)

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

.PHONY: lint
lint: ## Check the format of the sources
	swift format lint --strict -r Sources Tests Package.swift

.PHONY: format
format: ## Format the sources
	swift format -i -r Sources Tests Package.swift

.PHONY: clean
clean: ## Remove what was built
	rm -rf .build
