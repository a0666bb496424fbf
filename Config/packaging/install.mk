# Where what was built goes: the file system, or Debian packages.
.PHONY: install install-documents install-network install-share install-recorder install-map install-python deb deb-network deb-share deb-recorder deb-map deb-python release map-data time-zones

PREFIX ?= /usr/local
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
DBUS_POLICIES ?= /etc/dbus-1/system.d
DBUS_SERVICES ?= $(PREFIX)/share/dbus-1/system-services
POLKIT_RULES ?= /etc/polkit-1/rules.d
SHARE := $(PREFIX)/share/locationd
PYTHON_PACKAGES ?= $(PREFIX)/lib/python3/dist-packages

# $(call program,product,target)
define program
	install -D $(BIN)/$(1) '$(DESTDIR)$(2)'
	strip --strip-unneeded --remove-section=.comment '$(DESTDIR)$(2)'
endef

# $(call place,file,target): paths under /usr that the file names become paths under PREFIX.
define place
	sed 's,/usr/\(bin\|sbin\|share/locationd\|libexec/locationd\)/,$(PREFIX)/\1/,g' $(1) | install -D -m 644 /dev/stdin '$(DESTDIR)$(2)'
endef

# $(call completions,shell,target): a file that shells read, and do not run.
define completions
	$(BIN)/locationctl --generate-completion-script $(1) | sed '1{/^#!/d}' | install -D -m 644 /dev/stdin '$(DESTDIR)$(2)'
endef

install: install-documents
install: ## Install what `make build` built (PREFIX=/usr/local, DESTDIR=)
	$(call program,locationd,$(PREFIX)/sbin/locationd)
	$(call program,locationctl,$(PREFIX)/bin/locationctl)
	$(call place,systemd/locationd.service,$(PREFIX)/lib/systemd/system/locationd.service)
	$(call place,systemd/locationd.socket,$(PREFIX)/lib/systemd/system/locationd.socket)
	$(call place,systemd/locationd-gpsd.socket,$(PREFIX)/lib/systemd/system/locationd-gpsd.socket)
	$(call place,systemd/locationd-watching.service,$(PREFIX)/lib/systemd/system/locationd-watching.service)
	$(call place,systemd/locationd-timezone.service,$(PREFIX)/lib/systemd/system/locationd-timezone.service)
	$(call place,systemd/locationd-agent.service,$(PREFIX)/lib/systemd/user/locationd-agent.service)
	install -D -m 644 Config/packaging/desktop/locationd-agent.desktop '$(DESTDIR)/etc/xdg/autostart/locationd-agent.desktop'
	$(call place,systemd/locationd-geofences.service,$(PREFIX)/lib/systemd/user/locationd-geofences.service)
	$(call place,systemd/locationd-geofence@.target,$(PREFIX)/lib/systemd/user/locationd-geofence@.target)
	$(call place,systemd/locationd.sysusers,$(PREFIX)/lib/sysusers.d/locationd.conf)
	$(call place,systemd/locationd.catalog,$(PREFIX)/lib/systemd/catalog/locationd.catalog)
	$(call place,Config/clients.d/org.locationd.locationctl.plist,$(SHARE)/clients.d/org.locationd.locationctl.plist)
	$(call place,Config/clients.d/org.locationd.timezone.plist,$(SHARE)/clients.d/org.locationd.timezone.plist)
	install -m 644 $(filter-out Config/clients.d/org.locationd.%,$(wildcard Config/clients.d/*)) '$(DESTDIR)$(SHARE)/clients.d/'
	install -D -m 644 Config/dbus/org.locationd.conf '$(DESTDIR)$(DBUS_POLICIES)/org.locationd.conf'
	install -d '$(DESTDIR)$(SHARE)/polkit'
	install -m 644 Config/polkit/modem.rules Config/polkit/wifi.rules '$(DESTDIR)$(SHARE)/polkit/'
	install -D -m 644 Config/polkit/compass.rules '$(DESTDIR)$(POLKIT_RULES)/60-locationd-compass.rules'
	$(call place,Config/polkit/launch.rules,$(POLKIT_RULES)/60-locationd-launch.rules)
	install -D -m 644 Config/polkit/timezone.rules '$(DESTDIR)$(POLKIT_RULES)/60-locationd-timezone.rules'
	install -D -m 644 Config/dbus/org.freedesktop.GeoClue2.service '$(DESTDIR)$(DBUS_SERVICES)/org.freedesktop.GeoClue2.service'
	$(call place,Config/packaging/man/locationd.8,$(PREFIX)/share/man/man8/locationd.8)
	$(call place,Config/packaging/man/locationctl.1,$(PREFIX)/share/man/man1/locationctl.1)
	$(call place,Config/packaging/man/locationd.plist.5,$(PREFIX)/share/man/man5/locationd.plist.5)
	set -o pipefail; Config/packaging/man/interfaces Sources/Client/LocationInterface/Interfaces/*.varlink | \
		install -D -m 644 /dev/stdin '$(DESTDIR)$(PREFIX)/share/man/man7/org.locationd.7'
	$(call completions,bash,$(PREFIX)/share/bash-completion/completions/locationctl)
	$(call completions,zsh,$(ZSH_COMPLETIONS)/_locationctl)
	$(call completions,fish,$(PREFIX)/share/fish/vendor_completions.d/locationctl.fish)
	@# Made by a target of its own, which downloads the borders.
	[ ! -e $(TIME_ZONES) ] || install -D -m 644 $(TIME_ZONES) '$(DESTDIR)$(SHARE)/timezones.grid'
	install -d '$(DESTDIR)/etc/locationd/clients.d' '$(DESTDIR)/etc/locationd/locationd.plist.d'
	[ -e '$(DESTDIR)/etc/locationd/locationd.plist' ] || { $(call place,Config/locationd.plist,/etc/locationd/locationd.plist); }

# The README and the articles for users, to be read where they are installed: their links lead to each other, those to files of
# the repository are plain text, and pictures are left out.
ARTICLES := Compatibility Concepts Desktops Fleet GPSDPrograms Recipes Sharing ThreatModel Trying Van YourPrograms
empty :=
space := $(empty) $(empty)
install-documents:
	@set -e; for file in README.md $(ARTICLES:%=Sources/Programs/LocationDaemon/LocationDaemon.docc/%.md); do \
		sed -e '/^!\[/d' \
			-e 's,](Sources/Programs/LocationDaemon/LocationDaemon\.docc/\($(subst $(space),\|,$(ARTICLES))\)\.md,](\1.md,g' \
			-e 's,\[\([^]]*\)\](\(Sources\|Config\|\.github\)/[^)]*),\1,g' \
			-e 's,<doc:\([A-Za-z]*\)>,[\1](\1.md),g' $$file | \
			install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/share/doc/locationd/$${file##*/}"; \
	done

# A package of its own, since it brings HTTPS. Who wants no location by Wi-Fi does not need it.
install-network: ## Install what `make build-network` built (PREFIX=/usr/local, DESTDIR=)
	$(call program,locationd-network,$(PREFIX)/libexec/locationd/locationd-network)
	$(call place,systemd/locationd-network.service,$(PREFIX)/lib/systemd/system/locationd-network.service)
	$(call place,systemd/locationd-network.socket,$(PREFIX)/lib/systemd/system/locationd-network.socket)
	$(call place,Config/packaging/man/locationd-network.8,$(PREFIX)/share/man/man8/locationd-network.8)

# A package of its own, since it brings HTTPS. Who shares no position does not need it.
install-share: ## Install what `make build-share` built (PREFIX=/usr/local, DESTDIR=)
	$(call program,locationd-share,$(PREFIX)/libexec/locationd/locationd-share)
	$(call place,Config/clients.d/org.locationd.share.plist,$(SHARE)/clients.d/org.locationd.share.plist)
	$(call place,systemd/locationd-share.service,$(PREFIX)/lib/systemd/user/locationd-share.service)
	$(call place,systemd/locationd-share-reminder.service,$(PREFIX)/lib/systemd/user/locationd-share-reminder.service)
	$(call place,systemd/locationd-share.profile.sh,/etc/profile.d/locationd-share.sh)
	$(call place,systemd/locationd-share-system.service,$(PREFIX)/lib/systemd/system/locationd-share-system.service)
	$(call place,systemd/locationd-share.sysusers,$(PREFIX)/lib/sysusers.d/locationd-share.conf)
	install -D -m 644 -t '$(DESTDIR)$(SHARE)/mosquitto' Config/mosquitto/locationd.conf Config/mosquitto/locationd.rights

# For the machine that records, which is no vehicle.
install-recorder: ## Install what `make build-recorder` built (PREFIX=/usr/local, DESTDIR=)
	$(call program,locationd-fleet-recorder,$(PREFIX)/libexec/locationd/locationd-fleet-recorder)
	$(call place,systemd/locationd-fleet-recorder.service,$(PREFIX)/lib/systemd/system/locationd-fleet-recorder.service)
	$(call place,systemd/locationd-fleet-recorder.sysusers,$(PREFIX)/lib/sysusers.d/locationd-fleet-recorder.conf)
	install -d '$(DESTDIR)/etc/locationd'

# The map is a package of its own, since it brings a web server, a page and a world. Nothing of `make install` needs it.
install-map: ## Install what `make build-map` built (PREFIX=/usr/local, DESTDIR=)
	$(call program,locationctl-map,$(PREFIX)/libexec/locationd/locationctl-map)
	$(call place,Config/clients.d/org.locationd.map.plist,$(SHARE)/clients.d/org.locationd.map.plist)
	install -D -m 644 Config/packaging/desktop/org.locationd.map.desktop '$(DESTDIR)$(PREFIX)/share/applications/org.locationd.map.desktop'
	install -D -m 644 Config/packaging/desktop/org.locationd.privacy.desktop '$(DESTDIR)$(PREFIX)/share/applications/org.locationd.privacy.desktop'
	install -d '$(DESTDIR)$(SHARE)/map/page' '$(DESTDIR)$(SHARE)/map/streets' '$(DESTDIR)/var/lib/locationd-map'
	install -m 644 $(MAP)/*.mbtiles $(MAP)/world.places '$(DESTDIR)$(SHARE)/map/'
	install -m 644 $(MAP)/page/* '$(DESTDIR)$(SHARE)/map/page/'
	install -m 644 $(MAP)/streets/* '$(DESTDIR)$(SHARE)/map/streets/'

install-python: ## Install the Python package (PREFIX=/usr/local, DESTDIR=)
	install -d '$(DESTDIR)$(PYTHON_PACKAGES)/locationd'
	install -m 644 Config/packaging/python/locationd/* '$(DESTDIR)$(PYTHON_PACKAGES)/locationd/'
	install -D -m 644 Tests/OtherLanguages/where.py '$(DESTDIR)$(PREFIX)/share/doc/python3-locationd/examples/where.py'

# Debian packages, in .build/deb. Debian's tools want debian/ in the directory they start in; debian/rules installs what was
# built by the targets above.
deb: order time-zones ## Make the Debian package locationd, in .build/deb
	@Config/packaging/deb locationd

deb-network: build-network ## Make the Debian package locationd-network, in .build/deb
	@Config/packaging/deb locationd-network

deb-share: order ## Make the Debian package locationd-share, in .build/deb
	@Config/packaging/deb locationd-share

deb-recorder: build-recorder ## Make the Debian package locationd-fleet-recorder, in .build/deb
	@Config/packaging/deb locationd-fleet-recorder

deb-map: build-map ## Make the Debian package locationd-map, in .build/deb
	@Config/packaging/deb locationd-map

deb-python: ## Make the Debian package python3-locationd, in .build/deb
	@Config/packaging/deb python3-locationd

release: deb deb-network deb-share deb-recorder deb-map deb-python ## Put all Debian packages, their checksums and a note into .build/locationd-VERSION
	@Config/packaging/release .build/deb

# The map's page and data, as they are installed. Downloads stay beside, so that a second run fetches nothing.
map-data: $(MAP)/world.mbtiles ## Fetch and make the map's data, and lay out its page
	@ln -sf $(CURDIR)/Sources/Map/LocationMap/Page/* $(CURDIR)/Sources/Map/PrivacyPage/Page/* $(CURDIR)/Sources/Platform/Localization/Catalogue/* $(CURDIR)/Config/map/credits.html $(MAP)/page/
	@mkdir -p $(MAP)/streets; ln -sf $(CURDIR)/Config/map/streets/* $(MAP)/streets/

# The index of the world's places is made by the writer that makes those of extracts.
$(MAP)/world.mbtiles: $(wildcard Config/map/*.* Config/map/build) \
		$(wildcard Sources/Map/PlaceSearch/Index/PlaceIndex* Sources/Map/PlaceSearch/Resources/*)
	@$(MAKE) -s $(VENV)/map-tools static
	$(RELEASE) --product place-index
	PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python3 Config/map/build .build/map-downloads $(MAP) $(BIN)/place-index
	@touch $@

# The grid of time zones, for the package locationd.
time-zones: $(TIME_ZONES) ## Fetch the borders of time zones, and make the grid that locationctl reads

$(TIME_ZONES): $(wildcard Config/timezones/*)
	@$(MAKE) -s $(VENV)/time-zone-tools
	PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python3 Config/timezones/build .build/timezone-downloads $@

$(VENV)/bin/pip:
	@python3 -m venv $(VENV) || { rm -rf $(VENV); echo "Python cannot make environments: make packages" >&2; exit 1; }

$(VENV)/map-tools: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q pillow==12.0.0 numpy==2.4.6 h5py==3.16.0 fonttools==4.68.0 brotli==1.2.1
	@touch $@

# Without what timezonefinder depends on otherwise: Config/timezones/build brings its data.
$(VENV)/time-zone-tools: $(VENV)/bin/pip
	$(VENV)/bin/pip install -q --no-deps timezonefinder==9.0.0 numpy==2.4.6 h3==4.5.0 cffi==2.1.1 pycparser==3.12 flatbuffers==25.12.19
	@touch $@
