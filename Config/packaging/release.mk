# What a release is linked from, and how.
.PHONY: static order

STATIC := $(CURDIR)/.build/static
ORDER := $(CURDIR)/.build/functions.order

# With the Swift runtime inside, so that they run where there is none. lld packs the relocations and leaves out the symbols
# that only a dynamic library would need, which saves 6 MB of the two programs. What `static` lays out is inside too. The packages
# put the functions that run at a start and with each location side by side, as listed by `make order`, which saves memory.
RELEASE := PKG_CONFIG_PATH=$(STATIC) $(SWIFT_BUILD) -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC) \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic \
	-Xlinker --symbol-ordering-file=$(ORDER) -Xlinker --no-warn-symbol-ordering

static: libraries
	@Config/packaging/static-libraries $(STATIC); [ -e $(ORDER) ] || touch $(ORDER)

# The list fits one build: names that are gone have no effect, and the linker says nothing of them.
order: build build-share ## List the functions that run at a start and with each location, and link the daemon and the sharer in that order
	@command -v valgrind >/dev/null || { echo "valgrind is missing: make packages" >&2; exit 1; }
	@# Only if one of them has been linked since.
	@if [ ! -e $(ORDER).linked ] || [ -n "$$(find -L $(BIN)/locationd $(BIN)/locationd-share -newer $(ORDER).linked)" ]; then \
		Config/packaging/order $(ORDER) && rm $(BIN)/locationd $(BIN)/locationd-share && $(MAKE) -s build build-share && \
		touch $(ORDER).linked; \
	fi
