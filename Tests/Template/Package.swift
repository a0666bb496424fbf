// swift-tools-version: 6.2
import PackageDescription

// A program that prints where you are, to copy. Replace the path by that of your clone of locationd.
let package = Package(
    name: "Where",
    dependencies: [.package(name: "locationd", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "Where", dependencies: [.product(name: "LocationClient", package: "locationd")])
    ])
