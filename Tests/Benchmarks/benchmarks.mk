# The benchmarks, of optimised builds, and the soak test.
.PHONY: bench soak bench-geoclue bench-gpsd bench-tracking bench-sources bench-conditions bench-map bench-search \
	bench-search-towns bench-search-page bench-map-add bench-sharing bench-fleet bench-recorder bench-slow

bench: build ## Measure the daemon beside a minimal broadcaster in C (QUICK=1 for a short run)
	$(RELEASE) --product broadcaster
	$(RELEASE) --product benchmarks
	$(CC) -shared -fPIC -O2 -Wall -Werror -o $(BIN)/libSlowSync.so Tests/Benchmarks/slow_sync.c
	$(BIN)/benchmarks
	python3 Tests/Benchmarks/lock_storm.py $(BIN)/locationd $(if $(QUICK),500)
	@$(MAKE) -s bench-tracking bench-sources bench-conditions

soak: build ## Load the daemon with all that may happen, and see that nothing stays behind (MINUTES=10, SEED=n)
	$(RELEASE) --product soak
	MINUTES=$(MINUTES) SEED=$(SEED) $(BIN)/soak .build/soak.svg

bench-geoclue: build ## Measure 50 programs that ask GeoClue beside GeoClue itself
	$(call install,geoclue-2.0 dbus)
	$(RELEASE) --product broadcaster
	$(RELEASE) --product benchmarks
	python3 Tests/Benchmarks/geoclue.py $(BIN)/locationd /usr/libexec/geoclue $(BIN)/benchmarks $(if $(QUICK),10,30)

bench-gpsd: build ## Measure programs of gpsd at the service beside gpsd itself
	$(call install,gpsd)
	ulimit -n 4096; python3 Tests/Benchmarks/gpsd.py $(BIN)/locationd $(if $(QUICK),5,20)

bench-tracking: ## Measure the position of follow mode against the truth (QUICK=1 for a short run)
	$(RELEASE) --product tracking-benchmark
	$(BIN)/tracking-benchmark

bench-sources: ## Measure the choice among sources in simulated hours, beside the rules of others
	$(RELEASE) --product source-benchmark
	$(BIN)/source-benchmark

bench-conditions: ## Measure regions: noise at their borders, 100,000 of them, a receiver that sleeps (PART=borders|index|service|days)
	$(RELEASE) --product condition-benchmark
	$(BIN)/condition-benchmark $(PART)

bench-slow: build ## Measure the age of the locations that slow programs are delivered (QUICK=1 for a short run)
	$(RELEASE) --product slow-program-benchmark
	$(BIN)/slow-program-benchmark

bench-map: build build-map ## Measure the map: its layout, its server and its pages (QUICK=1 for a short run)
	$(RELEASE) --product map-benchmark
	$(RELEASE) --product map-server-benchmark
	$(BIN)/map-benchmark
	$(BIN)/map-server-benchmark

bench-search: map-data map-fixtures ## Measure search: its answers to a table of queries, its times, its memory (TABLE=file)
	$(RELEASE) --product search-benchmark
	$(BIN)/search-benchmark $(TABLE)

bench-search-towns: map-data map-fixtures ## Measure search with slips made from the names of extracts (TOWNS=directory of more extracts)
	$(RELEASE) --product search-benchmark
	$(BIN)/search-benchmark --towns $(TOWNS)

bench-search-page: build-map map-fixtures ## Measure search in the page: the time from a keystroke to the suggestions, and the program's memory
	@$(MAKE) -s $(VENV)/ready $(VENV)/browser
	$(VENV)/bin/python3 -B Tests/Benchmarks/keystrokes.py $(BIN) $(MAP_FIXTURES)

bench-map-add: build-map map-fixtures ## Measure how regions are made, and their tiles served (QUICK=1 for a short run)
	$(call install,$(REGION_PACKAGES))
	python3 -B Tests/Benchmarks/map_add.py $(BIN) $(MAP_FIXTURES)/liechtenstein.osm.pbf $(MAP)/streets $(MAP) \
		$(if $(QUICK),4,40)

bench-sharing: build build-share ## Measure the sharer: CPU for a fix, memory, the time to the reader, wake-ups and a backlog (QUICK=1 for a short run)
	$(call install,mosquitto python3-paho-mqtt)
	python3 -B Tests/Benchmarks/sharing.py $(BIN)/locationd $(BIN)/locationd-share $(if $(QUICK),5,20)

bench-fleet: build-share build-map ## Measure the map of 10,000 vehicles: CPU, memory, the first picture, the time to a browser (QUICK=1 for a short run)
	$(call install,mosquitto python3-paho-mqtt)
	/usr/bin/python3 -B Tests/Benchmarks/fleet.py $(BIN)/locationctl-map $(MAP) 10000 $(if $(QUICK),5,20) 6
	/usr/bin/python3 -B Tests/Benchmarks/fleet.py $(BIN)/locationctl-map $(MAP) 10000 $(if $(QUICK),5,20) 14

bench-recorder: build-recorder ## Measure the recorder of a fleet, and questions to 6 million rows (QUICK=1 for fewer)
	$(call install,mosquitto python3-paho-mqtt postgresql postgresql-postgis)
	/usr/bin/python3 -B Tests/Benchmarks/fleet_recorder.py $(BIN)/locationd-fleet-recorder $(if $(QUICK),20000 600000)
