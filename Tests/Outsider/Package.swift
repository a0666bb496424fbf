// swift-tools-version: 6.2
import PackageDescription

/// Programs as people outside this project write them: a package of its own that depends on the products only. `make
/// test-outsider` builds and runs it. This project's own package has the same targets, so that `make test` compiles them too.
///
/// With LOCATIONCLIENT_ONLY in its environment it is a package that needs no map: `traits: []` spares it the dependencies of
/// the map and the service.
let usesMap = Context.environment["LOCATIONCLIENT_ONLY"] == nil
let map: [Target] = ["MapOutsider", "Seeds"].map { name in
    .executableTarget(
        name: name, dependencies: [.product(name: "LocationMap", package: "locationd")],
        swiftSettings: [.treatAllWarnings(as: .error)])
}

let package = Package(
    name: "Outsider",
    dependencies: [.package(name: "locationd", path: "../..", traits: usesMap ? [.defaults] : [])],
    targets: [
        .executableTarget(
            name: "Outsider", dependencies: [.product(name: "LocationClient", package: "locationd")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ] + (usesMap ? map : []))
