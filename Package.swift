// swift-tools-version: 6.2
import PackageDescription

/// What is not needed for LocationClient alone: a package that uses only that says `traits: []`, and fetches none of it.
let traits: Set<Trait> = [
    .default(enabledTraits: ["Programs", "Map"]),
    .trait(name: "Programs", description: "The service and its command line"),
    .trait(name: "Map", description: "LocationMap and its program"),
]

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioTestUtils = product(name: "NIOTestUtils", package: "swift-nio")
    static let logging = product(name: "Logging", package: "swift-log")
    static let lifecycle = product(
        name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Programs", "Map"]))
    static let argumentParser = product(
        name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Programs", "Map"]))
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Map"]))
    static let hummingbirdCore = product(
        name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Map"]))
}

/// Set by `make fuzz`: instruments this project's targets for libFuzzer and the address sanitizer, and enables testing
/// and assertions in optimised builds.
let isFuzzing = Context.environment["LOCATIOND_FUZZ"] != nil
let instrumented: [SwiftSetting] =
    isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-assert-config", "Debug"])] : []

/// Warnings are errors in this project's targets only, because those of a dependency cannot be fixed here.
let uninstrumented: [SwiftSetting] =
    [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
let strict = uninstrumented + instrumented
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

// MARK: Kinds of targets

/// A library of the system, of the Debian package `package`; without one, a header of our own.
func system(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
}

/// A library of this project, in `Sources` or in `path`. What the build plugin `generatedBy` makes becomes part of its code.
func library(
    _ name: String, in path: String? = nil, uses: Target.Dependency...,
    generatedBy plugin: String? = nil, excluding: String..., settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: uses, path: path, exclude: excluding,
        cSettings: strictC, swiftSettings: settings,
        plugins: plugin.map { [.plugin(name: $0)] })
}

/// A program of this project, in `Sources` or in `path`.
func program(
    _ name: String, in path: String? = nil, uses: Target.Dependency..., settings: [SwiftSetting] = strict
) -> Target {
    .executableTarget(name: name, dependencies: uses, path: path, cSettings: strictC, swiftSettings: settings)
}

/// The tests of `target`, which they use, too.
func tests(
    _ target: String, named name: String? = nil, use: Target.Dependency..., excluding: String...
) -> Target {
    .testTarget(
        name: name ?? "\(target)Tests", dependencies: [.byName(name: target)] + use, exclude: excluding,
        swiftSettings: strict)
}

/// The targets of a group, which lie in `Sources/GROUP` and `Tests/GROUP`. Its modules import from the groups `uses` only, as
/// `Tests/Documentation/test_groups.py` checks.
func group(_ name: String, uses: [String], _ targets: [Target]) -> [Target] {
    for target in targets where target.path == nil {
        target.path = "\(target.isTest ? "Tests" : "Sources")/\(name)/\(target.name)"
    }
    return targets
}

// MARK: Groups of targets, by what an attacker controls there and what the code may touch

// Sources/GROUP/README.md says what each is for, and who can send it bytes.

/// What the system offers: C libraries, files, queues, protocols. Nothing of locations.
let platform = group(
    "Platform", uses: [],
    [
        // For locationd-network and locationd-share only.
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        system("CExpat", pkgConfig: "expat", package: "libexpat1-dev"),
        system("CGPS", pkgConfig: "libgps", package: "libgps-dev"),
        // Calls of the kernel and of glibc that Swift does not see.
        system("CLinux"),
        // For locationd-share only.
        system("CMosquitto", pkgConfig: "libmosquitto", package: "libmosquitto-dev"),
        // For locationd-fleet-recorder only.
        system("CPostgreSQL", pkgConfig: "libpq", package: "libpq-dev"),
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        system("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        // The installed applications, by their desktop files and icons.
        library("DesktopEntries", uses: "POSIXSupport"),
        tests("DesktopEntries", use: "TestSupport"),
        // locationctl agent --desktop.
        library("DesktopNotifications", uses: "LinuxPlumbing", .nioCore, .nioPosix),
        tests("DesktopNotifications", use: "LinuxPlumbing", "TestSupport", .nioCore),
        library("StatusNotifier", uses: "LinuxPlumbing", .nioCore, .nioPosix),
        tests("StatusNotifier", use: "LinuxPlumbing", "TestSupport", .nioCore),
        // Requests over HTTPS, by libcurl.
        library("HTTPTransfer", uses: "CCurl"),
        // Messages to and from a broker by MQTT 5, by libmosquitto.
        library("MQTTPublishing", uses: "CMosquitto"),
        // Statements for a database server, by libpq.
        library("PostgreSQL", uses: "CPostgreSQL"),
        // What the kernel and systemd say of processes, files and the message bus.
        library("LinuxPlumbing", uses: "Pacing", "CLinux", "CSystemd", .nioCore),
        tests("LinuxPlumbing", use: "TestSupport", .nioCore),
        // The texts of prompts in the user's language, from the catalogue that the map's page has, too.
        library("CCatalogue"),
        library("Localization", uses: "CCatalogue", "TextSupport", excluding: "Catalogue"),
        tests("Localization"),
        // Files and programs by the calls of POSIX: bounded reads, atomic writes, locks, child processes. No Foundation.
        library("POSIXSupport"),
        tests("POSIXSupport", use: "TestSupport"),
        // When the next thing is done: fair turns by user, timers and time slices of an event loop, rate limits, back-off.
        library("Pacing", uses: .nioCore),
        tests("Pacing", use: .nioCore, .nioPosix, .nioEmbedded),
        library("SQLite", uses: "CSQLite"),
        // What the programs of services have: log lines for the journal, and all tasks on one event loop.
        library("ServiceSupport", uses: "TextSupport", .nioCore, .nioPosix, .logging),
        // Reading JSON that others wrote.
        library("StrictJSON"),
        tests("StrictJSON", use: "SeededRandom"),
        // Characters that must not be printed or logged as they are, and which word was probably meant.
        library("TextSupport"),
        tests("TextSupport"),
        library(
            "Varlink", uses: "VarlinkIDL", "TextSupport", "StrictJSON", "Pacing", .nioCore,
            .nioPosix,
            .logging),
        tests(
            "Varlink", use: "VarlinkIDL", "SeededRandom", "TestSupport", .nioEmbedded, .nioTestUtils, .nioCore,
            .nioPosix,
            .logging,
            excluding: "Python"),
        // Interface descriptions, read by the server and by the generator of the group Client.
        library("VarlinkIDL", settings: uninstrumented),
        tests("VarlinkIDL"),
        library("XMLEvents", uses: "CExpat"),
    ])

/// Locations, places and motion: values and rules without I/O.
let model = group(
    "Model", uses: [],
    [
        library("LocationModel"),
        tests("LocationModel"),
        // Places that are watched for programs: whether one is there, when the receiver is needed to tell, visits.
        library("LocationConditions", uses: "LocationModel"),
        tests("LocationConditions", use: "SeededRandom", "LocationModel", "ConditionSimulation"),
        library("MotionEstimation", uses: "LocationModel"),
        tests("MotionEstimation", use: "SeededRandom", "LocationModel", "TrackingSimulation"),
    ])

/// What reads positions: receivers, networks and recorded tracks, which may all send anything.
let receivers = group(
    "Receivers", uses: ["Platform", "Model"],
    [
        // gpsd's address, commands and lines, without libgps.
        library("GPSDProtocol", uses: "StrictJSON", "LocationModel"),
        tests("GPSDProtocol"),
        library(
            "LocationSources", uses: "LocationModel", "LocationTracks", "GPSDProtocol", "LinuxPlumbing",
            "WiFiPositioning",
            "WiFiScanning", "Pacing", "CGPS", .nioCore, .nioPosix, .logging),
        tests(
            "LocationSources", use: "SourceSimulation", "WiFiPositioning", "WiFiScanning", "SeededRandom",
            "TestSupport",
            "GPSDProtocol", "GPSDFrontEnd",
            "LinuxPlumbing", "LocationModel", "LocationTracks",
            .nioCore, .nioPosix,
            .nioEmbedded, .nioConcurrencyHelpers, .logging, excluding: "Recordings"),
        library("LocationTracks", uses: "LocationModel", "POSIXSupport", "GPSDProtocol", "StrictJSON", "XMLEvents"),
        tests("LocationTracks", use: "LocationModel", "SeededRandom", "TestSupport", "TrackWriter"),
        // Which access points a server may be asked about, when, and how; no I/O. Shared by the service, by the program that asks
        // and by locationctl.
        library("WiFiPositioning", uses: "LocationModel", "StrictJSON", "Pacing"),
        tests("WiFiPositioning", use: "SeededRandom"),
        library("WiFiScanning", uses: "WiFiPositioning", "LinuxPlumbing"),
        tests("WiFiScanning", use: "WiFiPositioning", "LinuxPlumbing", "TestSupport", .nioCore),
        // Killed by the tracks' tests while it records.
        program("TrackWriter", in: "Tests/Receivers/TrackWriter", uses: "LocationTracks", "LocationModel"),
    ])

/// The interfaces, and the library for programs.
let client = group(
    "Client", uses: ["Platform", "Model"],
    [
        library("LocationInterface", uses: "LocationModel", "LocationConditions", generatedBy: "GenerateInterfaces"),
        tests("LocationInterface", use: "InterfaceGenerator", "LocationModel", "Varlink", "VarlinkIDL"),
        // Swift types from .varlink files, and declarations from .names files. It runs in each build, so no sanitizer may be part of it.
        program("InterfaceGenerator", uses: "VarlinkIDL", settings: uninstrumented),
        tests("InterfaceGenerator", use: "VarlinkIDL"),
        .plugin(
            name: "GenerateInterfaces", capability: .buildTool(), dependencies: ["InterfaceGenerator"]),
        // What the service and the program that asks a positioning server say to one another.
        library("NetworkInterface", uses: "LocationInterface", generatedBy: "GenerateInterfaces"),
        library(
            "LocationClient", uses: "LocationInterface", "Varlink", "LocationModel", "LocationConditions", "Pacing",
            generatedBy: "GenerateInterfaces"),
        // Decisions, history, rules and prompts, for the programs of this package only: no product has it.
        library("LocationServiceManagement", uses: "LocationClient", "LocationInterface", "LocationModel"),
        tests(
            "LocationClient", use: "LocationServiceManagement", "LocationInterface", "LocationModel", "Pacing",
            "Varlink",
            "TestSupport", .nioCore,
            .nioPosix,
            .logging),
    ])

/// Who may know what: rules, decisions, use, and the core that every location passes.
let gate = group(
    "Gate", uses: ["Platform", "Model", "Receivers"],
    [
        library("LocationPolicy", uses: "LocationModel"),
        tests("LocationPolicy", use: "SeededRandom", "LocationModel"),
        library(
            "LocationConfiguration", uses: "TextSupport", "POSIXSupport", "GPSDProtocol",
            "WiFiPositioning", "LocationModel", "LocationPolicy", "XMLEvents"),
        tests(
            "LocationConfiguration", use: "GPSDProtocol", "SeededRandom", "LocationModel", "LocationPolicy",
            "TestSupport"),
        library(
            "LocationStore", uses: "LocationModel", "LocationPolicy", "LocationConditions", "POSIXSupport", "SQLite",
            "CSQLite"),
        tests(
            "LocationStore", use: "SeededRandom", "SQLite", "LocationPolicy", "LocationConditions", "LocationModel",
            "StoreWriter", "TestSupport"),
        library(
            "LocationUsage", uses: "LocationPolicy", "LinuxPlumbing", "POSIXSupport", "Pacing", "CSystemd", .nioCore,
            .logging),
        tests(
            "LocationUsage", use: "TestSupport", "LinuxPlumbing", "LocationPolicy", .nioEmbedded, .nioCore, .logging,
            excluding: "terminal.py"),
        // Outside the core a location exists only as a `Disclosure`.
        library(
            "LocationCore", uses: "LocationModel", "LocationPolicy", "LocationConditions", "MotionEstimation",
            "LocationConfiguration", "LocationSources", "LocationStore", "LinuxPlumbing", "LocationUsage",
            "TextSupport",
            "Pacing", "CLinux",
            .nioCore, .nioPosix,
            .logging),
        tests(
            "LocationCore", use: "LinuxPlumbing", "LocationModel", "LocationPolicy", "LocationConditions",
            "LocationConfiguration", "LocationInterface", "LocationSources", "LocationStore", "LocationUsage",
            "Varlink",
            "VarlinkIDL", "TestSupport", "DaemonTestSupport", .nioCore, .nioEmbedded, .nioPosix, .logging),
        // Killed by the store's tests while it writes.
        program("StoreWriter", in: "Tests/Gate/StoreWriter", uses: "LocationStore", "LocationPolicy", "LocationModel"),
        // Run by the system tests inside the booted system.
        program(
            "UsageProbe", in: "Tests/Gate/UsageProbe", uses: "LinuxPlumbing", "LocationUsage", .nioPosix, .nioCore,
            .logging),
    ])

/// The ways in: who is at the other end, and what is said to it.
let frontEnds = group(
    "FrontEnds", uses: ["Platform", "Model", "Receivers", "Client", "Gate"],
    [
        library(
            "PeerIdentification", uses: "LocationPolicy", "LocationConfiguration", "LinuxPlumbing", "POSIXSupport",
            "Varlink",
            "Pacing", "CLinux", .nioCore),
        tests(
            "PeerIdentification", use: "LinuxPlumbing", "LocationPolicy", "CLinux", "TestSupport",
            .nioCore,
            .nioEmbedded, .nioPosix),
        library(
            "VarlinkFrontEnd", uses: "LocationCore", "PeerIdentification", "LocationModel", "LocationPolicy",
            "LocationConditions", "LocationConfiguration", "LocationSources", "LocationStore", "LinuxPlumbing",
            "LocationInterface",
            "Varlink", "VarlinkIDL",
            .nioCore, .logging),
        tests(
            "VarlinkFrontEnd", use: "LocationCore", "LocationInterface", "LocationModel", "LocationPolicy",
            "LocationConditions",
            "LocationConfiguration", "LocationSources", "SeededRandom", "Varlink", "TestSupport", "DaemonTestSupport",
            .nioCore),
        library(
            "GeoClueFrontEnd", uses: "LocationCore", "PeerIdentification", "LocationModel", "LocationPolicy",
            "LocationConfiguration", "DesktopEntries", "LinuxPlumbing", "POSIXSupport", "Pacing", .nioCore, .logging),
        tests(
            "GeoClueFrontEnd", use: "LocationCore", "PeerIdentification", "LocationInterface", "LocationModel",
            "LocationPolicy", "LocationConfiguration", "LocationSources", "Varlink", "TestSupport", "DaemonTestSupport",
            .nioCore),
        library(
            "GPSDFrontEnd", uses: "LocationCore", "PeerIdentification", "GPSDProtocol", "LocationModel",
            "LocationPolicy",
            "LocationConfiguration", "LinuxPlumbing", "Varlink", "Pacing", .nioCore, .nioPosix, .logging),
        tests(
            "GPSDFrontEnd", use: "LocationCore", "PeerIdentification", "GPSDProtocol", "LinuxPlumbing", "LocationModel",
            "LocationPolicy", "LocationConfiguration", "LocationSources", "Varlink", "TestSupport", "DaemonTestSupport",
            .nioCore, .nioEmbedded, .nioPosix),
    ])

/// What sends the position to the services that a user names: a client like any other.
let sharing = group(
    "Sharing", uses: ["Platform", "Model", "Receivers", "Client", "Gate"],
    [
        // Messages, rules for answers, and what is sent when; no I/O.
        library(
            "LocationSharing", uses: "LocationModel", "LocationInterface", "LocationPolicy", "WiFiPositioning",
            "GPSDProtocol", "StrictJSON", "Pacing"),
        tests("LocationSharing", use: "LocationModel", "SeededRandom"),
        // The vehicles at a broker, by messages that others wrote: where they are, and what they do. No I/O.
        library("FleetModel", uses: "LocationModel", "StrictJSON", "TextSupport"),
        tests("FleetModel", use: "LocationModel", "SeededRandom"),
        // The files of the destinations, and the sending.
        library(
            "SharingProgram", uses: "LocationSharing", "FleetModel", "HTTPTransfer", "MQTTPublishing", "LocationClient",
            "LocationInterface",
            "LocationModel", "DesktopNotifications", "LinuxPlumbing", "POSIXSupport", "Pacing", "SQLite", "CSQLite",
            "Varlink",
            .nioCore,
            .nioPosix, .logging),
        tests(
            "SharingProgram", use: "LocationSharing", "FleetModel", "FleetRecording", "PostgreSQL", "CPostgreSQL",
            "HTTPTransfer",
            "MQTTPublishing", "LocationModel", "TestSupport",
            .nioCore,
            .nioPosix,
            .logging,
            excluding: "Server"),
        // The past of a fleet: from a broker into a database.
        library(
            "FleetRecording", uses: "SharingProgram", "LocationSharing", "FleetModel", "HTTPTransfer", "MQTTPublishing",
            "PostgreSQL", "LocationModel"),
    ])

/// The map: rules, tiles, names of places, server and page.
let map = group(
    "Map", uses: ["Platform", "Model", "Client", "Sharing"],
    [
        library("MapModel", uses: "LocationModel"),
        tests("MapModel", use: "SeededRandom", "LocationModel"),
        // Tile archives and the regions that are installed: what the map's server and locationctl read.
        library("MapTiles", uses: "MapModel", "LocationModel", "POSIXSupport", "SQLite", "CSQLite", "CZlib"),
        tests("MapTiles", use: "SQLite", "LocationModel", "SeededRandom", "TestSupport"),
        // What places are called and where they are, for the map and for locationctl.
        library("CPlaceTables"),
        library(
            "PlaceSearch", uses: "CPlaceTables", "LocationModel", "POSIXSupport", "TextSupport", "StrictJSON", "SQLite",
            "CSQLite",
            excluding: "Resources"),
        tests("PlaceSearch", use: "PlaceFixtures", "LocationModel", "SQLite", "SeededRandom", "TestSupport"),
        program("place-index", uses: "PlaceSearch"),
        // What serves a page to its user's browser, and to nobody else: for the map and the privacy page.
        library(
            "PageServing", uses: "LocationClient", "LocationServiceManagement", "LocationInterface", "Pacing",
            .hummingbird, .hummingbirdCore,
            .nioCore, .nioPosix, .logging, .lifecycle),
        // The page of locationctl privacy.
        library(
            "PrivacyPage", uses: "PageServing", "LocationMap", "MapModel", "DesktopEntries", "LocationClient",
            "LocationServiceManagement", "LocationInterface", "LocationModel", "MapTiles", "POSIXSupport", "Pacing",
            .hummingbird, .nioCore, .logging, .lifecycle,
            excluding: "Page"),
        tests(
            "PrivacyPage", use: "PageServing", "DesktopEntries", "LocationClient", "LocationServiceManagement",
            "LocationInterface",
            "LocationModel", "MapTiles", "TestSupport", .nioCore, .lifecycle, .logging),
        library(
            "LocationMap", uses: "PageServing", "MapModel", "MapTiles", "PlaceSearch", "FleetModel", "LocationModel",
            "LocationClient", "LocationServiceManagement",
            "LocationInterface", "StrictJSON", "Pacing", "POSIXSupport", "TextSupport",
            .hummingbird, .nioCore, .nioPosix, .logging, .lifecycle,
            generatedBy: "GenerateInterfaces", excluding: "Page"),
        tests(
            "LocationMap", use: "PageServing", "PlaceFixtures", "PlaceSearch", "MapTiles", "MapModel", "FleetModel",
            "LocationClient",
            "LocationInterface",
            "LocationModel", "SQLite", "TestSupport", .hummingbird, .nioCore, .lifecycle, .logging),
        // Real extracts and the queries that are asked of them, for tests and benchmark.
        library(
            "PlaceFixtures", in: "Tests/Map/PlaceFixtures", uses: "PlaceSearch", "LocationModel", "SQLite",
            "SeededRandom",
            "TestSupport",
            excluding: "Queries"),
        // Ports of the classic examples for MapKit, which the map's tests run.
        program("MapExamples", in: "Tests/Map/Examples", uses: "LocationMap", "LocationModel", .hummingbird),
    ])

/// The executables, what they share, and the wiring of the service.
let programs = group(
    "Programs", uses: ["Platform", "Model", "Receivers", "Client", "Gate", "FrontEnds", "Sharing", "Map"],
    [
        library(
            "LocationDaemon", uses: "GPSDProtocol", "LocationCore", "PeerIdentification", "VarlinkFrontEnd",
            "GeoClueFrontEnd", "GPSDFrontEnd",
            "LocationTracks", "LocationConfiguration", "LocationSources", "LocationStore", "LocationUsage",
            "LocationInterface", "NetworkInterface", "WiFiPositioning", "WiFiScanning", "LinuxPlumbing", "TextSupport",
            "Varlink", "Pacing", "CLinux", "CSystemd", "LocationModel", .nioCore,
            .nioPosix, .logging, .lifecycle),
        tests(
            "LocationDaemon", use: "LocationCore", "PeerIdentification", "VarlinkFrontEnd", "GeoClueFrontEnd",
            "GPSDProtocol", "LocationModel", "LocationPolicy", "LocationConfiguration", "LocationSources",
            "LocationInterface", "LocationStore", "LocationUsage", "LinuxPlumbing", "NetworkInterface",
            "WiFiPositioning", "Varlink", "VarlinkIDL", "SeededRandom", "TestSupport",
            "DaemonTestSupport", .nioCore, .nioEmbedded),
        library(
            "LocationDiagnosis", uses: "LocationModel", "LocationPolicy", "LocationInterface", "LocationConfiguration",
            "POSIXSupport", "GPSDProtocol"),
        tests(
            "LocationDiagnosis", use: "POSIXSupport", "GPSDProtocol", "LocationConfiguration", "LocationInterface",
            "LocationModel",
            "LocationPolicy",
            "TestSupport"),
        // Shared by the command-line programs locationctl and locationctl-map.
        library(
            "CommandLineSupport", uses: "TextSupport", "POSIXSupport", "LocationClient", "LocationTracks",
            "LocationModel",
            .argumentParser),
        // Where each time zone lies, and when the machine's follows its location.
        library("TimeZones", uses: "LocationModel", "POSIXSupport"),
        tests("TimeZones", use: "LocationModel", "TestSupport"),
        library(
            "NetworkPositioning", uses: "WiFiPositioning", "NetworkInterface", "LocationInterface",
            "LocationConfiguration",
            "LinuxPlumbing", "Varlink", "VarlinkIDL", "HTTPTransfer", "CLinux", .nioCore, .nioPosix, .logging),
        tests(
            "NetworkPositioning", use: "WiFiPositioning", "NetworkInterface", "LocationInterface", "Varlink",
            "TestSupport", .nioCore, .nioPosix, .logging, excluding: "Server"),
        program(
            "locationd", uses: "LocationDaemon", "LocationCore", "LocationInterface", "ServiceSupport", .argumentParser,
            .logging),
        program(
            "locationctl", uses: "GPSDProtocol", "CommandLineSupport", "DesktopNotifications", "LocationClient",
            "LocationServiceManagement",
            "LocationInterface",
            "LocationModel", "LocationPolicy", "LocationConfiguration", "LocationDiagnosis", "LocationTracks",
            "Localization", "MapTiles", "MapModel", "Pacing", "POSIXSupport", "TextSupport", "PlaceSearch",
            "WiFiPositioning", "WiFiScanning",
            "StatusNotifier", "TimeZones", "LinuxPlumbing", .nioCore, .nioPosix, .argumentParser),
        tests(
            "locationctl", named: "LocationctlTests", use: "SeededRandom", "CommandLineSupport", "DesktopNotifications",
            "Localization", "LocationClient", "LocationInterface", "LocationModel", "LocationTracks", "MapTiles",
            "PlaceSearch", "StatusNotifier", "TestSupport", "TimeZones"),
        // locationctl map: a program of its own, in a package of its own.
        program(
            "locationctl-map", uses: "LocationMap", "PrivacyPage", "PageServing", "MapModel", "MapTiles", "PlaceSearch",
            "FleetModel",
            "LocationClient", "LocationServiceManagement",
            "LocationInterface",
            "LocationModel", "LocationTracks", "CommandLineSupport", "LinuxPlumbing", "POSIXSupport", "CLinux",
            "DesktopNotifications", "Localization",
            .nioCore, .argumentParser, .logging
        ),
        tests(
            "locationctl-map", named: "LocationctlMapTests", use: "FleetModel", "LinuxPlumbing", "Localization",
            "LocationModel", "MapTiles", "SQLite", "TestSupport"),
        program(
            "locationd-network", uses: "NetworkPositioning", "ServiceSupport", "LocationInterface", .argumentParser,
            .logging),
        program(
            "locationd-fleet-recorder", uses: "FleetRecording", "SharingProgram", "LocationSharing", "FleetModel",
            "HTTPTransfer", "LocationTracks", "LocationInterface", "LocationModel", "CommandLineSupport",
            "POSIXSupport",
            .argumentParser),
        program(
            "locationd-share", uses: "SharingProgram", "LocationSharing", "FleetModel", "HTTPTransfer",
            "LocationClient",
            "LocationInterface", "LocationModel", "CommandLineSupport", "ServiceSupport", "POSIXSupport",
            "LinuxPlumbing",
            "CLinux", .argumentParser, .logging),
    ])

// MARK: What tests share, and tests of the whole

let testing: [Target] = [
    library("SeededRandom", in: "Tests/SeededRandom"),
    library(
        "TestSupport", in: "Tests/TestSupport", uses: "LinuxPlumbing", "LocationInterface", "Varlink", "VarlinkIDL",
        .nioCore, .nioPosix,
        .logging),
    tests("TestSupport", use: .nioCore),
    // A daemon within the test's process, and those who connect to it.
    library(
        "DaemonTestSupport", in: "Tests/DaemonTestSupport", uses: "LocationCore", "PeerIdentification",
        "VarlinkFrontEnd", "GeoClueFrontEnd", "GPSDFrontEnd", "LocationModel", "LocationPolicy",
        "LocationConfiguration", "LocationSources", "LocationStore", "LocationUsage", "LinuxPlumbing", "Varlink",
        "CSystemd", "TestSupport", .nioCore, .nioPosix, .nioEmbedded, .logging),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [

            "LocationClient", "LocationServiceManagement", "LocationConfiguration", "LocationInterface",
            "LocationModel", "LocationTracks", "Varlink",
            "TestSupport", "impostor", "Outsider", "Seeds", .nioCore, .nioPosix, .logging,
        ],
        exclude: ["Python"],
        swiftSettings: strict),
    // Programs of outsiders and the listings of the documentation, which may import one product only; they are a package
    // of their own, too (make test-outsider).
    program("Outsider", in: "Tests/Outsider/Sources/Outsider", uses: "LocationClient"),
    // The package to copy.
    program("Where", in: "Tests/Template/Sources/Where", uses: "LocationClient"),
    program("MapOutsider", in: "Tests/Outsider/Sources/MapOutsider", uses: "LocationMap"),
    program("Seeds", in: "Tests/Outsider/Sources/Seeds", uses: "LocationMap"),
    program(
        "ExampleClient", in: "Tests/ExampleClient", uses: "LocationClient", "LocationConditions", "LocationInterface",
        "LocationModel",
        "Varlink"),
    // Shows the limits of recognising a program by its executable.
    program("impostor", in: "Tests/Impostor"),
]

// MARK: Benchmarks and the soak test

let benchmarks: [Target] = [
    library("Measuring", in: "Tests/Benchmarks/Measuring"),
    library("BenchmarkLoad", in: "Tests/Benchmarks/BenchmarkLoad"),
    program("broadcaster", in: "Tests/Benchmarks/Broadcaster"),
    program("benchmarks", in: "Tests/Benchmarks/Benchmarks", uses: "BenchmarkLoad", "Measuring", "TestSupport"),
    program(
        "soak", in: "Tests/Soak", uses: "SeededRandom", "BenchmarkLoad", "Measuring", "TestSupport",
        "LocationInterface", "LocationModel"),
    // Simulated people and receivers for the motion filter's benchmark and tests.
    library(
        "TrackingSimulation", in: "Tests/Benchmarks/TrackingSimulation", uses: "SeededRandom", "LocationModel",
        "MotionEstimation"),
    program(
        "tracking-benchmark", in: "Tests/Benchmarks/Tracking", uses: "TrackingSimulation", "LocationModel",
        "MotionEstimation"),
    // A simulated hour of a receiver and Wi-Fi, for the benchmark and the tests of the choice among sources.
    library(
        "SourceSimulation", in: "Tests/Benchmarks/SourceSimulation", uses: "SeededRandom", "LocationModel",
        "LocationSources", .nioCore, .nioEmbedded, .nioConcurrencyHelpers),
    program("source-benchmark", in: "Tests/Benchmarks/Sources", uses: "SourceSimulation"),
    // Simulated days of a person with a receiver that sleeps.
    library(
        "ConditionSimulation", in: "Tests/Benchmarks/ConditionSimulation", uses: "SeededRandom", "LocationModel",
        "LocationConditions"),
    program(
        "condition-benchmark", in: "Tests/Benchmarks/Conditions", uses: "ConditionSimulation", "SeededRandom",
        "LocationModel", "LocationConditions", "LocationPolicy", "LocationConfiguration", "LocationSources",
        "LocationStore", "LocationCore", "LinuxPlumbing", "CLinux", .nioCore, .nioPosix, .logging),
    program("map-benchmark", in: "Tests/Benchmarks/Map", uses: "SeededRandom", "MapModel", "LocationModel"),
    program("map-server-benchmark", in: "Tests/Benchmarks/MapServer", uses: "Measuring", "TestSupport"),
    program("slow-program-benchmark", in: "Tests/Benchmarks/SlowPrograms", uses: "LocationClient", "TestSupport"),
    program("search-benchmark", in: "Tests/Benchmarks/Search", uses: "PlaceFixtures", "PlaceSearch", "LocationModel"),
]

/// The same sources are built as a fuzzer, or as tests that replay the inputs it has found.
let fuzzing: Target = {
    let dependencies: [Target.Dependency] = [
        "TextSupport", "CGPS", "DesktopEntries", "GPSDProtocol", "GPSDFrontEnd", "LocationModel", "LocationPolicy",
        "LocationConfiguration", "LocationSources", "LocationStore", "LinuxPlumbing", "LocationUsage",
        "MotionEstimation", "LocationTracks", "LocationInterface",
        "LocationConditions", "LocationCore", "PlaceSearch", "LocationSharing", "SharingProgram", "SQLite",
        "StrictJSON",
        "PeerIdentification", "VarlinkFrontEnd", "GeoClueFrontEnd", "Varlink", "VarlinkIDL", .nioCore,
        .nioConcurrencyHelpers,
        .nioEmbedded,
        .logging,
    ]
    let data = ["Corpus", "Dictionaries", "run"]
    guard isFuzzing else {
        return .testTarget(
            name: "FuzzTests", dependencies: dependencies, path: "Tests/Fuzz", exclude: data + ["Runner.swift"],
            swiftSettings: strict)
    }
    return .executableTarget(
        name: "fuzz", dependencies: dependencies, path: "Tests/Fuzz", exclude: data + ["CorpusTests.swift"],
        swiftSettings: strict,
        // Other linkers fail on the sanitizers' sections.
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}()

// MARK: The package

let package = Package(
    name: "locationd",
    products: [
        .executable(name: "locationd", targets: ["locationd"]),
        .executable(name: "locationctl", targets: ["locationctl"]),
        .executable(name: "locationd-network", targets: ["locationd-network"]),
        .executable(name: "locationd-share", targets: ["locationd-share"]),
        .executable(name: "locationd-fleet-recorder", targets: ["locationd-fleet-recorder"]),
        .executable(name: "locationctl-map", targets: ["locationctl-map"]),
        .library(name: "LocationClient", targets: ["LocationClient"]),
        .library(name: "LocationMap", targets: ["LocationMap"]),
    ],
    traits: traits,
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // The map's page server. Without traits: its default one brings full Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: platform + model + receivers + client + gate + frontEnds + sharing + map + programs + testing + benchmarks
        + [fuzzing]
)
