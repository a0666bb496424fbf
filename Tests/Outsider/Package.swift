// swift-tools-version: 6.2
import PackageDescription

/// Programs as people outside this project write them: a package of its own that depends on the products only. `make
/// test-outsider` builds and runs it. This project's own package has the same targets, so that `make test` compiles them too.
let package = Package(
    name: "Outsider",
    dependencies: [.package(name: "locationd", path: "../..")],
    targets: [
        .executableTarget(
            name: "Outsider", dependencies: [.product(name: "LocationClient", package: "locationd")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "MapOutsider", dependencies: [.product(name: "LocationMap", package: "locationd")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ])
