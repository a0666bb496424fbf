# The tests: `make test` runs all but the fuzzers and the sanitizers; the rest runs parts of them.
.PHONY: test test-languages test-recordings test-states test-outsider test-map sanitize fuzz system-test desktop-test map-fixtures

# Real extracts of OpenStreetMap, fetched once: the tests of places and of tiles read them, and osmium reads them for those.
MAP_FIXTURES := .build/map-fixtures

map-fixtures: ## Fetch the OpenStreetMap extracts that the tests read
	$(call install,osmium-tool)
	@[ -x $(VENV)/bin/pip ] || $(MAKE) -s $(VENV)/bin/pip
	@$(VENV)/bin/python3 -B Tests/MapFixtures/fetch $(MAP_FIXTURES)

# Again when the list has changed.
$(VENV)/ready: $(VENV)/bin/pip Tests/tests.mk
	$(VENV)/bin/pip install -q varlink==31.0.0 asyncvarlink==0.3.3 mypy==1.18.2
	@touch $@

# One process a target: the tests of one start gpsds, terminals and programs that those of another would inherit.
TEST_TARGETS := $(notdir $(wildcard Tests/*Tests)) FuzzTests

test: ## Run the tests, those in a booted Debian in a short form
	$(call install,$(TEST_PACKAGES) $(SYSTEM_PACKAGES))
	@rm -rf .build/tests
	@$(MAKE) -s $(VENV)/ready map-fixtures map-data
	@Tests/part build swift build --build-tests --explicit-target-dependency-import-check error
	@set -e; for target in $(TEST_TARGETS); do \
		LOCATIOND_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python3 \
			Tests/part $$target swift test --skip-build --filter "^$$target\\."; \
	done
	@Tests/part documentation python3 -B -m unittest discover -s Tests/Documentation
	@Tests/part other-languages $(MAKE) -s test-languages
	@Tests/part test-map $(MAKE) -s test-map
	@Tests/part soak env MINUTES=0.5 .build/debug/soak
	@Tests/part build-without-apt Tests/build-without-apt
	@Tests/part system-test Tests/System/run --if-possible test_inuse test_story test_notifications test_geoclue test_recipes BorderTests PermissionTests
	@Tests/part

test-languages: $(VENV)/ready ## Test the Python package and the samples in C with the service
	swift build --product locationd
	swift build --product locationctl
	@cd Tests/OtherLanguages && $(CURDIR)/$(VENV)/bin/python3 -B -m unittest

# gpsd's test suite is in the directory test/daemon of its sources. Its recordings are not repeated here.
test-recordings: ## Compare with the recordings of gpsd's own test suite (LOGS=directory)
	swift build --build-tests
	LOCATIOND_GPSD_LOGS='$(abspath $(LOGS))' swift test --skip-build \
		--filter '^(LocationSourcesTests\.(GoldenTests|GPSDLineTests)|MotionEstimationTests\.AimTests)'

test-states: map-fixtures map-data ## Examine every state of rules, and every other name of a place, of which `make test` examines a part
	swift build --build-tests
	LOCATIOND_ALL_STATES=1 swift test --skip-build \
		--filter '^(LocationPolicyTests\.AccessRuleStatesTests|PlaceSearchTests\.TypedAliasTests)'

# `make test` compiles these programs within this package; here they are a package that has only the products of this one. It
# compiles all that the products depend on again.
OUTSIDER := .build/outsider

test-outsider: libraries ## Build and run programs that use the libraries as a package of their own does
	swift build --package-path Tests/Outsider --scratch-path $(OUTSIDER)
	swift build --product locationd
	Tests/Outsider/run $(OUTSIDER)/debug .build/debug/locationd
	@# The versions that the build with the map has noted would all be fetched again.
	rm -rf Tests/Outsider/Package.resolved $(OUTSIDER)/client/checkouts
	LOCATIONCLIENT_ONLY=1 swift build --package-path Tests/Outsider --scratch-path $(OUTSIDER)/client
	@! ls $(OUTSIDER)/client/checkouts | grep -E 'hummingbird|argument-parser|service-lifecycle' || \
		{ echo "LocationClient with traits: [] fetches these, which only the service and the map need" >&2; exit 1; }

$(VENV)/browser: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pytest==9.0.1 playwright==1.65.2 axe-playwright-python==0.1.8
	@touch $@

# Pictures of what was seen are in .build/map-pictures.
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

fuzz: ## Feed what takes input from strangers whatever libFuzzer makes up (FUZZ=target, SECONDS=60 for each)
	$(call install,$(BUILD_PACKAGES))
	Tests/Fuzz/run $(or $(SECONDS),60) $(FUZZ)

system-test: ## Install the package in a booted Debian and test it there (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run $(TEST)

desktop-test: ## Test with the programs of a desktop in a booted Debian (TEST=part of a name)
	$(call install,$(BUILD_PACKAGES) $(SYSTEM_PACKAGES))
	Tests/System/run --desktop $(TEST)
