// swift-tools-version: 6.2
import PackageDescription

/// Set by `make fuzz`: instruments this project's targets for libFuzzer and the address sanitizer, and enables testing
/// and assertions in optimised builds.
let isFuzzing = Context.environment["LOCATIOND_FUZZ"] != nil
let instrumented: [SwiftSetting] =
    isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-assert-config", "Debug"])] : []

/// Warnings are errors in this project's targets only, because those of a dependency cannot be fixed here.
let strict: [SwiftSetting] =
    [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + instrumented

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioTestUtils = product(name: "NIOTestUtils", package: "swift-nio")
    static let logging = product(name: "Logging", package: "swift-log")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
}

let package = Package(
    name: "locationd",
    products: [
        .executable(name: "locationd", targets: ["locationd"]),
        .executable(name: "locationctl", targets: ["locationctl"]),
        .executable(name: "locationctl-map", targets: ["locationctl-map"]),
        .library(name: "LocationClient", targets: ["LocationClient"]),
        .library(name: "LocationMap", targets: ["LocationMap"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // The map's page server. Without traits: its default one brings full Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        .systemLibrary(name: "CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // A call of the kernel that Swift does not see.
        .systemLibrary(name: "CExchange"),

        // Characters that must not be printed or logged as they are.
        .target(name: "TextSafety", swiftSettings: strict),
        // Reading JSON that others wrote.
        .target(name: "StrictJSON", swiftSettings: strict),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"], swiftSettings: strict),
        .target(name: "LocationModel", swiftSettings: strict),
        .target(name: "LocationPolicy", dependencies: ["LocationModel"], swiftSettings: strict),
        .target(name: "MotionEstimation", dependencies: ["LocationModel"], swiftSettings: strict),
        .target(name: "MapModel", dependencies: ["LocationModel"], swiftSettings: strict),
        .testTarget(
            name: "MapModelTests", dependencies: ["SeededRandom", "MapModel", "LocationModel"], swiftSettings: strict),
        .executableTarget(
            name: "map-benchmark",
            dependencies: ["SeededRandom", "MapModel", "LocationModel"],
            path: "Tests/Benchmarks/Map",
            swiftSettings: strict),
        .target(
            name: "LocationUsage",
            dependencies: ["LocationPolicy", "CSystemd", .nioCore, .logging],
            swiftSettings: strict),
        // Fair sharing of an event loop: turns by user, time slices, rate limits.
        .target(name: "FairQueue", dependencies: [.nioCore], swiftSettings: strict),
        .target(
            name: "Varlink", dependencies: ["TextSafety", "StrictJSON", "FairQueue", .nioCore, .nioPosix, .logging],
            swiftSettings: strict),
        .target(name: "GeoClue", dependencies: ["LocationModel"], swiftSettings: strict),
        .target(
            name: "LocationInterface",
            dependencies: ["LocationModel"],
            resources: [.embedInCode("Interfaces")],
            swiftSettings: strict),
        .target(
            name: "LocationConfiguration",
            dependencies: ["TextSafety", "LocationModel", "LocationPolicy", "XMLWalk"],
            swiftSettings: strict),
        .target(name: "XMLWalk", dependencies: ["CExpat"], swiftSettings: strict),
        .target(
            name: "LocationTracks", dependencies: ["LocationModel", "StrictJSON", "XMLWalk"], swiftSettings: strict),
        .target(
            name: "LocationSources",
            dependencies: [
                "LocationModel", "LocationTracks", "StrictJSON", "FairQueue", "CGPS", .nioCore, .nioPosix, .logging,
            ],
            swiftSettings: strict),
        .target(name: "SQLAccess", dependencies: ["CSQLite"], swiftSettings: strict),
        // What places are called and where they are, for the map and for locationctl.
        .target(
            name: "PlaceSearch",
            dependencies: ["LocationModel", "StrictJSON", "SQLAccess", "CSQLite"],
            resources: [.embedInCode("Resources")],
            swiftSettings: strict),
        .executableTarget(
            name: "place-index",
            dependencies: ["PlaceSearch"],
            swiftSettings: strict),
        .target(
            name: "LocationStore",
            dependencies: ["LocationModel", "LocationPolicy", "SQLAccess", "CSQLite"],
            swiftSettings: strict),
        // Clients, access, the gate, publishing, prompts, use and history. Outside it a location exists only as a `Disclosure`.
        .target(
            name: "LocationCore",
            dependencies: [
                "LocationModel", "LocationPolicy", "MotionEstimation", "LocationConfiguration", "LocationSources",
                "LocationStore", "LocationUsage", "LocationInterface", "FairQueue", "GeoClue", "CSystemd", .nioCore,
                .logging,
            ],
            swiftSettings: strict),
        // Who is at the other end, by the kernel's word.
        .target(
            name: "PeerIdentification",
            dependencies: [
                "LocationPolicy", "LocationConfiguration", "LocationUsage", "Varlink", "CSystemd", .nioCore,
            ],
            swiftSettings: strict),
        .target(
            name: "VarlinkFrontEnd",
            dependencies: [
                "LocationCore", "PeerIdentification", "LocationModel", "LocationPolicy", "LocationConfiguration",
                "LocationUsage", "LocationInterface", "Varlink", .nioCore, .logging,
            ],
            swiftSettings: strict),
        .target(
            name: "GeoClueFrontEnd",
            dependencies: [
                "LocationCore", "PeerIdentification", "GeoClue", "LocationModel", "LocationPolicy",
                "LocationConfiguration", "LocationUsage", "LocationInterface", "FairQueue", "CSystemd", .nioCore,
                .logging,
            ],
            swiftSettings: strict),
        .target(
            name: "LocationDaemon",
            dependencies: [
                "LocationCore", "PeerIdentification", "VarlinkFrontEnd", "GeoClueFrontEnd", "LocationPolicy",
                "LocationTracks", "LocationConfiguration", "LocationSources", "LocationStore", "LocationUsage",
                "LocationInterface", "TextSafety", "Varlink", "CSystemd", .nioCore, .nioPosix, .logging, .lifecycle,
            ],
            swiftSettings: strict),
        .target(
            name: "LocationClient",
            dependencies: ["LocationInterface", "Varlink", .nioCore, .nioPosix],
            swiftSettings: strict),
        .target(
            name: "LocationDiagnosis",
            dependencies: [
                "LocationModel", "LocationPolicy", "LocationInterface", "LocationConfiguration", "StrictJSON",
            ],
            swiftSettings: strict),
        // Tile archives and the regions that are installed: what the map's server and locationctl read.
        .target(
            name: "MapData", dependencies: ["MapModel", "LocationModel", "SQLAccess", "CSQLite", "CZlib"],
            swiftSettings: strict),
        .testTarget(
            name: "MapDataTests",
            dependencies: ["MapData", "SQLAccess", "LocationModel", "SeededRandom", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "LocationMap",
            dependencies: [
                "MapModel", "MapData", "PlaceSearch", "LocationModel", "LocationClient", "LocationInterface",
                .hummingbird,
                .nioCore, .nioPosix, .logging, .lifecycle,
            ],
            exclude: ["Page"],
            swiftSettings: strict),
        .executableTarget(
            name: "locationd",
            dependencies: ["LocationDaemon", "LocationCore", .argumentParser, .nioCore, .nioPosix, .logging],
            swiftSettings: strict),
        // Shared by the command-line programs locationctl and locationctl-map.
        .target(
            name: "CommandSupport",
            dependencies: ["TextSafety", "LocationClient", "LocationTracks", "LocationModel", .argumentParser],
            swiftSettings: strict),
        // locationctl agent --desktop.
        .target(name: "DesktopNotifications", dependencies: ["CSystemd"], swiftSettings: strict),
        .executableTarget(
            name: "locationctl",
            dependencies: [
                "CommandSupport", "DesktopNotifications",
                "LocationClient", "LocationInterface", "LocationModel", "LocationConfiguration", "LocationDiagnosis",
                "LocationTracks", "MapData", "MapModel", "PlaceSearch", .argumentParser,
            ],
            swiftSettings: strict),

        // locationctl map: a program of its own, in a package of its own.
        .executableTarget(
            name: "locationctl-map",
            dependencies: [
                "LocationMap", "MapData", "MapModel", "PlaceSearch", "LocationClient", "LocationInterface",
                "LocationModel",
                "LocationTracks", "CommandSupport", "CExchange", .argumentParser, .logging,
            ],
            swiftSettings: strict),

        .testTarget(name: "TextSafetyTests", dependencies: ["TextSafety"], swiftSettings: strict),
        .testTarget(name: "LocationModelTests", dependencies: ["LocationModel"], swiftSettings: strict),
        .testTarget(
            name: "LocationPolicyTests", dependencies: ["SeededRandom", "LocationPolicy"], swiftSettings: strict),
        .testTarget(
            name: "MotionEstimationTests",
            dependencies: ["SeededRandom", "MotionEstimation", "LocationModel", "TrackingSimulation"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationUsageTests",
            dependencies: ["LocationUsage", "TestSupport", .nioEmbedded],
            exclude: ["terminal.py"],
            swiftSettings: strict),
        // Run by the system tests inside the booted system.
        .executableTarget(
            name: "UsageProbe",
            dependencies: ["LocationUsage", .nioPosix, .nioCore, .logging],
            path: "Tests/UsageProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleClient",
            dependencies: ["LocationClient", "LocationInterface", "Varlink"],
            path: "Tests/ExampleClient",
            swiftSettings: strict),
        .testTarget(name: "FairQueueTests", dependencies: ["FairQueue", .nioCore], swiftSettings: strict),
        .testTarget(
            name: "VarlinkTests",
            dependencies: ["SeededRandom", "Varlink", "TestSupport", .nioEmbedded, .nioTestUtils],
            exclude: ["Python"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationInterfaceTests",
            dependencies: ["LocationInterface", "LocationModel", "Varlink"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationConfigurationTests",
            dependencies: [
                "SeededRandom", "LocationConfiguration", "LocationModel", "LocationPolicy", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationDiagnosisTests",
            dependencies: [
                "LocationDiagnosis", "LocationConfiguration", "LocationInterface", "LocationModel", "LocationPolicy",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationSourcesTests",
            dependencies: [
                "SeededRandom", "TestSupport",
                "LocationSources", "LocationModel", "LocationTracks", .nioCore, .nioPosix, .nioEmbedded,
                .nioConcurrencyHelpers, .logging,
            ],
            exclude: ["Recordings"],
            swiftSettings: strict),
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [.nioCore, .nioPosix],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "TestSupportTests", dependencies: ["TestSupport", .nioCore], swiftSettings: strict),
        .testTarget(
            name: "LocationStoreTests",
            dependencies: [
                "SeededRandom", "LocationStore", "SQLAccess", "LocationPolicy", "LocationModel", "StoreWriter",
                "TestSupport",
            ],
            swiftSettings: strict),
        // Killed by the store's tests while it writes.
        .executableTarget(
            name: "StoreWriter",
            dependencies: ["LocationStore", "LocationPolicy", "LocationModel"],
            path: "Tests/StoreWriter",
            swiftSettings: strict),
        .testTarget(
            name: "LocationTracksTests",
            dependencies: ["LocationTracks", "LocationModel", "TestSupport", "TrackWriter"],
            swiftSettings: strict),
        // Killed by the tracks' tests while it records.
        .executableTarget(
            name: "TrackWriter",
            dependencies: ["LocationTracks", "LocationModel"],
            path: "Tests/TrackWriter",
            swiftSettings: strict),
        .testTarget(name: "GeoClueTests", dependencies: ["GeoClue", "LocationModel"], swiftSettings: strict),
        .testTarget(
            name: "LocationDaemonTests",
            dependencies: [
                "SeededRandom",
                "LocationDaemon", "LocationCore", "PeerIdentification", "VarlinkFrontEnd", "GeoClueFrontEnd",
                "LocationModel", "LocationPolicy", "LocationConfiguration", "LocationSources", "LocationStore",
                "LocationInterface", "LocationUsage", "GeoClue", "CSystemd", "Varlink", "TestSupport", .nioCore,
                .nioPosix, .nioEmbedded, .logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationClientTests",
            dependencies: [
                "LocationClient", "LocationInterface", "LocationModel", "Varlink", "TestSupport", .nioCore, .nioPosix,
                .logging,
            ],
            swiftSettings: strict),
        // Programs of outsiders and the listings of the documentation, which may import one product only; they are a package
        // of their own, too (make test-outsider).
        .executableTarget(
            name: "Outsider", dependencies: ["LocationClient"], path: "Tests/Outsider/Sources/Outsider",
            swiftSettings: strict),
        .executableTarget(
            name: "MapOutsider", dependencies: ["LocationMap"], path: "Tests/Outsider/Sources/MapOutsider",
            swiftSettings: strict),
        // Ports of the classic examples for MapKit, which the map's tests run.
        .executableTarget(
            name: "MapExamples",
            dependencies: ["LocationMap", "LocationModel"],
            path: "Tests/Examples",
            swiftSettings: strict),
        .testTarget(
            name: "LocationMapTests",
            dependencies: [
                "LocationMap", "PlaceFixtures", "PlaceSearch", "MapModel", "LocationClient", "LocationInterface",
                "LocationModel", "SQLAccess", "TestSupport", .nioCore, .lifecycle, .logging,
            ],
            swiftSettings: strict),
        // Real extracts and the queries that are asked of them, for tests and benchmark.
        .target(
            name: "PlaceFixtures",
            dependencies: ["PlaceSearch", "LocationModel", "TestSupport"],
            path: "Tests/PlaceFixtures",
            exclude: ["Queries"],
            swiftSettings: strict),
        .testTarget(
            name: "PlaceSearchTests",
            dependencies: [
                "PlaceFixtures", "PlaceSearch", "LocationModel", "SQLAccess", "SeededRandom", "TestSupport",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "search-benchmark",
            dependencies: ["PlaceFixtures", "PlaceSearch", "LocationModel"],
            path: "Tests/Benchmarks/Search",
            swiftSettings: strict),
        .testTarget(
            name: "LocationctlTests",
            dependencies: [
                "SeededRandom", "locationctl", "CommandSupport", "DesktopNotifications", "LocationClient",
                "LocationInterface", "LocationModel", "MapData",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationctlMapTests", dependencies: ["locationctl-map", "MapData", "SQLAccess", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "LocationConfiguration", "LocationInterface", "LocationModel", "LocationTracks", "Varlink",
                "TestSupport", "impostor", "Outsider",
                .nioCore, .nioPosix, .logging,
            ],
            exclude: ["Python"],
            swiftSettings: strict),

        // Shows the limits of recognising a program by its executable.
        .executableTarget(name: "impostor", path: "Tests/Impostor", cSettings: [.treatAllWarnings(as: .error)]),

        .executableTarget(
            name: "benchmarks",
            dependencies: ["BenchmarkLoad", "Measuring"],
            path: "Tests/Benchmarks/Benchmarks",
            swiftSettings: strict),
        .executableTarget(
            name: "map-server-benchmark",
            dependencies: ["Measuring", "TestSupport"],
            path: "Tests/Benchmarks/MapServer",
            swiftSettings: strict),
        .target(name: "Measuring", path: "Tests/Benchmarks/Measuring", swiftSettings: strict),
        .executableTarget(
            name: "soak",
            dependencies: ["SeededRandom", "BenchmarkLoad", "Measuring", "LocationInterface"],
            path: "Tests/Soak",
            swiftSettings: strict),
        .target(
            name: "BenchmarkLoad",
            path: "Tests/Benchmarks/BenchmarkLoad",
            cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "broadcaster",
            path: "Tests/Benchmarks/Broadcaster",
            cSettings: [.treatAllWarnings(as: .error)]),
        // Simulated people and receivers for the motion filter's benchmark and tests.
        .target(
            name: "TrackingSimulation",
            dependencies: ["SeededRandom", "LocationModel", "MotionEstimation"],
            path: "Tests/Benchmarks/TrackingSimulation",
            swiftSettings: strict),
        .executableTarget(
            name: "tracking-benchmark",
            dependencies: ["TrackingSimulation", "LocationModel", "MotionEstimation"],
            path: "Tests/Benchmarks/Tracking",
            swiftSettings: strict),
    ]
)

/// The same sources are built as a fuzzer, or as tests that replay the inputs it has found.
let fuzzDependencies: [Target.Dependency] = [
    "TextSafety",
    "LocationModel", "LocationPolicy", "LocationConfiguration", "LocationSources", "LocationStore", "LocationUsage",
    "MotionEstimation", "LocationTracks", "LocationInterface", "LocationCore", "PeerIdentification", "VarlinkFrontEnd",
    "GeoClue", "Varlink", .nioCore,
    .nioConcurrencyHelpers, .nioEmbedded,
    .logging,
]
package.targets.append(
    isFuzzing
        ? .executableTarget(
            name: "fuzz",
            dependencies: fuzzDependencies,
            path: "Tests/Fuzz",
            exclude: ["CorpusTests.swift", "Corpus", "Dictionaries", "run"],
            swiftSettings: strict,
            // Other linkers fail on the sanitizers' sections.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
        : .testTarget(
            name: "FuzzTests",
            dependencies: fuzzDependencies,
            path: "Tests/Fuzz",
            exclude: ["Runner.swift", "Corpus", "Dictionaries", "run"],
            swiftSettings: strict))
