# The tests: `make test` is what every change has to pass, `make test-full` runs all but the sanitizers and the
# desktop; the rest runs parts of them.
.PHONY: check test test-full test-needs firefox test-home-assistant test-bridge test-kills test-languages test-recordings test-states test-outsider test-map sanitize fuzz system-test desktop-test map-fixtures

# Real extracts of OpenStreetMap, fetched once: the tests of places and of tiles read them, and osmium reads them for those.
MAP_FIXTURES := .build/map-fixtures

map-fixtures: ## Fetch the OpenStreetMap extracts that the tests read
	$(call install,osmium-tool)
	@[ -x $(VENV)/bin/pip ] || $(MAKE) -s $(VENV)/bin/pip
	@$(VENV)/bin/python3 -B Tests/Map/MapFixtures/fetch $(MAP_FIXTURES)

# Again when the list has changed.
$(VENV)/ready: $(VENV)/bin/pip Tests/tests.mk
	$(VENV)/bin/pip install -q varlink==31.0.0 asyncvarlink==0.3.3 mypy==1.18.2 pynmea2==1.19.0
	@touch $@

# One process a target: the tests of one start gpsds, terminals and programs that those of another would inherit.
TEST_TARGETS := $(notdir $(wildcard Tests/*Tests Tests/*/*Tests)) FuzzTests

BUILD_TESTS := $(DEBUG_BUILD) --build-tests --explicit-target-dependency-import-check error
# $(call swift_tests,regular expression): runs what BUILD_TESTS has built. `swift test --skip-build` does the same, but loads the
# package first, keeps others from building meanwhile, and starts the program again for XCTest, of which there are no tests.
# Six tests of a process run at once: if all of them do, each takes as long as all together, and on a busy machine longer than it may.
swift_tests = LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 \
	.build/debug/locationdPackageTests.xctest --testing-library swift-testing \
	--experimental-maximum-parallelization-width 6 --filter '$(1)'

# The parts of `make test` and `make test-full`, which Tests/parts runs. They use what part-build has built and build nothing
# themselves. The lanes of a step run side by side: one that computes, and one that mostly waits.
SUITES := $(TEST_TARGETS:%=suite-%)
# Wait for a real gpsd, brokers, databases and clients most of the time.
WAITING_SUITES := suite-LocationSourcesTests suite-SharingProgramTests suite-LocationDaemonTests
COMPUTING_SUITES := $(filter-out $(WAITING_SUITES),$(SUITES))
.PHONY: $(SUITES) part-unchanged part-build part-boxes part-documentation part-languages part-gazetteer part-map part-map-smoke part-soak part-home-assistant part-bridge part-kills part-system-smoke
part-%: export LOCATIOND_TEST_PROGRAMS := $(CURDIR)/.build/debug

check: ## Check a change in a few minutes: format, and the tests of the modules it touches (BASE=commit)
	$(call install,$(TEST_PACKAGES))
	@$(MAKE) -s $(VENV)/ready
	@Tests/check $(BASE)

test: ## Run the tests of every change: all suites, the browser and a booted Debian in a short form
	@$(MAKE) -s test-needs
	@Tests/parts "part-build | part-boxes" "$(COMPUTING_SUITES) | part-map-smoke part-system-smoke $(WAITING_SUITES) part-languages part-gazetteer part-documentation part-soak part-unchanged"

# Tests that kill programs do so more often there.
test-full: export LOCATIOND_TEST_FULL := 1
# Recordings in real time, if they are there.
test-full: ## Run `make test`, and the whole browser suite, all booted tests, fuzzing, all states (LOGS=directory of gpsd's recordings)
	@$(MAKE) -s test-needs firefox
	@Tests/parts part-build \
		"$(COMPUTING_SUITES) | part-map $(WAITING_SUITES) part-languages part-gazetteer part-documentation part-soak part-home-assistant part-bridge part-kills part-unchanged" \
		part-build-without-apt \
		test-outsider \
		"test-states $(if $(LOGS),test-recordings) part-fuzz | part-system"

test-needs:
	$(call install,$(TEST_PACKAGES) $(SYSTEM_PACKAGES) $(BROWSER_PACKAGES) $(REGION_PACKAGES))
	@$(MAKE) -s $(VENV)/ready $(VENV)/browser map-fixtures map-data time-zones

part-build:
	$(BUILD_TESTS)

program-%:
	$(DEBUG_BUILD) --product $*

$(SUITES): suite-%:
	$(call swift_tests,^$*\.)

part-documentation:
	Config/docs .build/debug $(DOCS)
	python3 -B -m unittest discover -s Tests/Documentation

part-languages:
	cd Tests/OtherLanguages && $(CURDIR)/$(VENV)/bin/python3 -B -m unittest

part-gazetteer:
	$(VENV)/bin/python3 -B -m unittest discover -s Tests/Map/Gazetteer

part-map-smoke:
	$(browser_tests) -m smoke

part-map:
	$(browser_tests)

# Skipped where Home Assistant cannot be installed.
part-home-assistant:
	cd Tests/Sharing/HomeAssistant && python3 -B -m unittest

# Skipped where no network can be made.
part-bridge:
	cd Tests/Sharing/Bridge && $(CURDIR)/$(VENV)/bin/python3 -B -m unittest

part-kills:
	cd Tests/Sharing/Kills && /usr/bin/python3 -B -m unittest

# What was built last is what the next build finds.
part-unchanged:
	Tests/unchanged

part-soak:
	MINUTES=0.5 .build/debug/soak

# What `make test` runs of the booted tests: installation from the sources, use, prompts and decisions, programs that are started
# for an event, GeoClue, recipes.
SYSTEM_SMOKE := InstallTests test_inuse test_story GeoClueTests.test_allowed_and_revoked GeoClueTests.test_off_on_and_restarted \
	test_recipes BorderTests.test_system_unit BorderTests.test_user_unit PermissionTests.test_polkit_permits_declared_units_only

# The systems that it boots. mmdebstrap waits for packages and the disk most of the time, so they are made while the tests are
# compiled. What prevents one is reported by part-system-smoke, which makes those that are missing.
part-boxes:
	-Tests/System/box.py build bookworm bookworm+clients trixie

part-system-smoke:
	Tests/System/run --if-possible $(SYSTEM_SMOKE)

part-system:
	Tests/System/run

part-build-without-apt:
	Tests/build-without-apt

part-fuzz:
	Tests/Fuzz/run $(or $(SECONDS),9)

test-home-assistant: ## Test sharing with a real Home Assistant, which is installed once (700 MB)
	$(call install,mosquitto)
	@$(MAKE) -s program-locationd program-locationctl program-locationd-share part-home-assistant

test-bridge: $(VENV)/ready ## Test sharing into a network, with gpsd, pynmea2, OpenCPN and Navit as readers
	@$(MAKE) -s program-locationd program-locationctl program-locationd-share part-bridge

test-kills: ## Kill broker, recorder, sharers and database in turn while 1,000 vehicles send (KILLS=20 of each, VEHICLES=1000)
	$(call install,mosquitto postgresql postgresql-postgis)
	@$(MAKE) -s program-locationd program-locationd-share program-locationd-fleet-recorder part-kills

test-languages: $(VENV)/ready ## Test the Python package and the samples in C with the service
	@$(MAKE) -s program-locationd program-locationctl part-languages

# gpsd's test suite is in the directory test/daemon of its sources. Its recordings are not repeated here.
test-recordings: ## Compare with the recordings of gpsd's own test suite (LOGS=directory)
	$(BUILD_TESTS)
	LOCATIOND_GPSD_LOGS='$(abspath $(LOGS))' \
		$(call swift_tests,^(LocationSourcesTests\.(GoldenTests|GPSDLineTests)|MotionEstimationTests\.AimTests))

test-states: map-fixtures map-data ## Examine every state of rules, more sequences of decisions, every other name of a place and 10,000 connections, of which `make test` examines a part
	$(BUILD_TESTS)
	LOCATIOND_ALL_STATES=1 $(call swift_tests,^(LocationPolicyTests\.(AccessRuleStatesTests|ClientAuthorizationPropertyTests)|PlaceSearchTests\.TypedAliasTests|EndToEndTests\.CrowdTests/many))

# `make test` compiles these programs within this package; here they are a package that has only the products of this one. It
# compiles all that the products depend on again.
OUTSIDER := .build/outsider

test-outsider: libraries ## Build and run programs that use the libraries as a package of their own does
	$(SWIFT_BUILD) --package-path Tests/Outsider --scratch-path $(OUTSIDER)
	@$(MAKE) -s program-locationd
	Tests/Outsider/run $(OUTSIDER)/debug .build/debug/locationd
	@# The samples, in a browser. The service and the writer of regions beside them are this package's.
	@$(MAKE) -s map-data map-fixtures $(VENV)/browser program-locationctl-map
	@ln -sf $(CURDIR)/.build/debug/locationd $(CURDIR)/.build/debug/locationctl-map $(OUTSIDER)/debug/
	cd Tests/Map/Browser && LOCATIOND_TEST_PROGRAMS=$(CURDIR)/$(OUTSIDER)/debug $(CURDIR)/$(VENV)/bin/python3 -B -m pytest -q -p no:cacheprovider test_seeds.py
	@# The versions that the build with the map has noted would all be fetched again.
	rm -rf Tests/Outsider/Package.resolved $(OUTSIDER)/client/checkouts
	LOCATIONCLIENT_ONLY=1 $(SWIFT_BUILD) --package-path Tests/Outsider --scratch-path $(OUTSIDER)/client
	$(SWIFT_BUILD) --package-path Tests/Template --scratch-path $(OUTSIDER)/client
	@! ls $(OUTSIDER)/client/checkouts | grep -E 'hummingbird|argument-parser|service-lifecycle' || \
		{ echo "LocationClient with traits: [] fetches these, which only the service and the map need" >&2; exit 1; }

$(VENV)/browser: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pillow==12.0.0 pytest==9.0.1 playwright==1.65.2 axe-playwright-python==0.1.8
	@touch $@

# The whole browser suite has tests in Firefox, too, on a screen of its own.
firefox: $(VENV)/firefox
	$(call install,$(FIREFOX_PACKAGES))

$(VENV)/firefox: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q marionette_driver==3.7.1
	@touch $@

# Pictures of what was seen are in .build/map-pictures.
browser_tests = cd Tests/Map/Browser && $(CURDIR)/$(VENV)/bin/python3 -B -m pytest -q -p no:cacheprovider

test-map: ## Test the map in a browser (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) python3-venv $(BROWSER_PACKAGES) $(REGION_PACKAGES))
	@$(MAKE) -s map-data map-fixtures $(VENV)/browser firefox \
		program-locationd program-locationctl program-locationd-share program-locationctl-map program-MapExamples program-Seeds
	$(browser_tests) $(if $(TEST),-k '$(TEST)')

# Each sanitizer has a build of its own. What the Swift runtime and XCTest never let go of is no leak of ours. Some tests mean
# nothing here: one counts wake-ups, and the thread sanitizer has a thread of its own that wakes; one has two dozen gpsds
# play in real time; one measures memory, and crowds of 10,000 take too long.
SANITIZERS ?= thread address
REAL_TIME := 'LifecycleTests/idleness|GoldenTests/throughGPSD|FaultTests/deafClients|CrowdTests'

sanitize: ## Run the tests under sanitizers (SANITIZERS="thread address", TEST=target)
	$(call install,$(TEST_PACKAGES))
	@$(MAKE) -s $(VENV)/ready
	@set -e; for sanitizer in $(SANITIZERS); do \
		$(DEBUG_BUILD) --build-tests --sanitize=$$sanitizer --scratch-path .build/sanitize/$$sanitizer; \
		for target in $(or $(TEST),$(TEST_TARGETS)); do \
			echo "== $$target, $$sanitizer sanitizer"; \
			ASAN_OPTIONS=detect_leaks=0 \
				TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.supp:atexit_sleep_ms=0 \
				LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 \
				swift test --skip-build --sanitize=$$sanitizer --scratch-path .build/sanitize/$$sanitizer \
				--filter "^$$target\\." --skip $(REAL_TIME); \
		done; \
	done

fuzz: ## Feed what takes input from strangers whatever libFuzzer makes up (FUZZ=target, SECONDS=60 for each)
	$(call install,$(BUILD_PACKAGES))
	Tests/Fuzz/run $(or $(SECONDS),60) $(FUZZ)

system-test: time-zones ## Install the package in a booted Debian and test it there (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run $(TEST)

desktop-test: ## Test with the programs of a desktop in a booted Debian (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run --desktop $(TEST)
