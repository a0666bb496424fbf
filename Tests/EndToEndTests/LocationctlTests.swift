import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

@Suite("locationctl", .timeLimit(.minutes(10)))
struct LocationctlTests {
    private struct Feature: Decodable {
        struct Geometry: Decodable {
            var type: String
            var coordinates: [Double]
        }
        var type: String
        var geometry: Geometry
        var properties: Location
    }

    private func isOnTrack(_ location: Location) -> Bool {
        (0..<8e-3).contains(location.coordinate.latitude - DaemonSite.latitude)
            && location.coordinate.longitude == DaemonSite.longitude
            && location.sourceInformation?.isSimulated == true
    }

    @Test func signalsReachTheProgramOfAnotherPackage() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Products.locationctl, toPath: directory.path + "/locationctl")
        // A program that says which signals it blocks.
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/locationd-share", withDestinationPath: "/usr/bin/grep")
        let result = try await ChildProcess.run(
            [directory.path + "/locationctl", "share", "SigBlk", "/proc/self/status"])
        #expect(result.output == "SigBlk:\t0000000000000000\n")
        #expect(result.code == 0)
    }

    @Test func getInEachFormat() async throws {
        try await DaemonSite.run { daemon in
            let text = try await daemon.site.locationctl("get")
            #expect(text.code == 0)
            #expect(text.isPlain)
            #expect(text.output.hasPrefix("12.34"))
            for words in ["° N, 98.765432° E", "altitude   101 m", "simulated"] { #expect(text.output.contains(words)) }

            let object = try await daemon.site.locationctl("get", "--format", "json")
            #expect(object.code == 0)
            #expect(isOnTrack(try json(object.output, as: Location.self)))

            let feature = try await daemon.site.locationctl("get", "--format", "geojson", "--accuracy", "100")
            let decoded = try json(feature.output, as: Feature.self)
            #expect(decoded.type == "Feature")
            #expect(decoded.geometry.type == "Point")
            #expect(
                decoded.geometry.coordinates
                    == [decoded.properties.coordinate.longitude, decoded.properties.coordinate.latitude])
            #expect(isOnTrack(decoded.properties))
            #expect(feature.errors == "")
        }
    }

    @Test func watchInEachFormat() async throws {
        try await DaemonSite.run { daemon in
            let text = try await daemon.site.locationctl("watch", "--count", "3")
            #expect(text.code == 0)
            #expect(text.isPlain)
            #expect(text.output.split(separator: "\n").count { $0.contains("98.765432° E") } == 3)

            let objects = try await daemon.site.locationctl("watch", "--count", "3", "--format", "json")
            let locations = try objects.output.split(separator: "\n").map { try json(String($0), as: Location.self) }
            #expect(locations.count == 3)
            #expect(locations.allSatisfy(isOnTrack))
            #expect(Set(locations.map(\.timestamp)).count == 3)

            let features = try await daemon.site.locationctl("watch", "--count", "2", "--format", "geojson")
            #expect(
                try features.output.split(separator: "\n")
                    .map { isOnTrack(try json(String($0), as: Feature.self).properties) } == [true, true])
        }
    }

    @Test func statusInEachFormat() async throws {
        try await DaemonSite.run { daemon in
            let text = try await daemon.site.locationctl("status")
            #expect(text.code == 0)
            #expect(text.isPlain)
            for words in ["locationd \(serviceVersion)", "replay:", "idle", "2 declared"] {
                #expect(text.output.contains(words))
            }
            let object = try await daemon.site.locationctl("status", "--format", "json")
            let status = try json(object.output, as: ManagerInterface.GetServiceStatus.Reply.self)
            #expect(status.clients == 2)
            #expect(status.problems == [])
        }
    }

    @Test(
        "an unknown command is refused with a suggestion",
        arguments: [
            ["get", "--timeout", "0"], ["get", "--timeout", "3601"], ["get", "--accuracy", "-1"],
            ["get", "--format", "xml"], ["follow", "--rate", "0"], ["follow", "--rate", "61"],
            ["follow", "--count", "0"],
            ["follow", "--mode", "fly"], ["follow", "--record", "walk.txt"], ["watch", "--count", "0"],
            ["watch", "--distance", "far"],
            ["watch", "--interval", "-1"], ["watch", "--interval", "nan"], ["watch", "--heading-filter", "181"],
            ["watch", "--significant", "--distance", "10"], ["track"], ["track", "x.gpx", "--format", "geojson"],
            ["status", "--format", "geojson"], ["doctor", "--yes"], ["fly"], ["get", "here"],
        ])
    func badUsage(arguments: [String]) async throws {
        let result = try await ChildProcess.run([Products.locationctl] + arguments)
        #expect(result.code == 64)
        #expect(result.output == "")
        #expect(result.errors.contains("Error:"))
        #expect(result.isPlain)
    }

    @Test(
        "each command has a help text",
        arguments: [[], ["get"], ["watch"], ["follow"], ["track"], ["status"], ["config", "check"], ["doctor"]])
    func help(command: [String]) async throws {
        let result = try await ChildProcess.run([Products.locationctl] + command + ["--help"])
        #expect(result.code == 0)
        #expect(result.output.contains("USAGE: locationctl"))
    }

    @Test("without a service each command fails with a sentence", arguments: ["get", "watch", "follow", "status"])
    func unreachable(command: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none"
        let result = try await ChildProcess.run([Products.locationctl, command, "--socket", path])
        #expect(result.code == 69)
        #expect(result.output == "")
        #expect(result.errors.contains(path))
    }

    @Test("a wrong setting is reported once, however many parts of a command read the settings")
    func wrongSetting() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/locationd", withIntermediateDirectories: false)
        let file = "\(directory.path)/locationd/locationctl.conf"
        try Data("units cubits\n".utf8).write(to: URL(filePath: file))
        try await DaemonSite.run { daemon in
            let result = try await ChildProcess.run(
                [Products.locationctl, "get"],
                environment: ["XDG_CONFIG_HOME": directory.path, "LOCATIOND_SOCKET": daemon.site.socket])
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count { $0.contains(file) } == 1, "\(result.errors)")
        }
    }

    @Test("config unset removes what config set wrote")
    func configUnset() async throws {
        let directory = try TemporaryDirectory()
        func config(_ words: String...) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                [Products.locationctl, "config"] + words, environment: ["XDG_CONFIG_HOME": directory.path])
        }
        let file = "\(directory.path)/locationd/locationctl.conf"
        #expect(try await config("set", "units", "nautical").code == 0)
        #expect(try await config("unset", "units").output == "units is no longer set in \(file).\n")
        #expect(try await config("unset", "units").output == "units was not set in \(file), and nothing was changed.\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("units") == false)
        let wrong = try await config("unset", "accepted")
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("--unaccept FINDING"))
    }

    @Test("without the right to raise the priority of threads the log has no line about it")
    func threadPriority() async throws {
        let unprivileged = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-sys_nice"] : []
        let result = try await ChildProcess.run(
            unprivileged + [Products.locationctl, "status", "--socket", "/nonexistent"],
            environment: ["LIBDISPATCH_LOG": "stderr"])
        #expect(result.code == 69)
        #expect(result.errors.hasPrefix("There is no socket at /nonexistent"), "\(result.errors)")
    }

    @Test func noFixInTime() async throws {
        // Nobody listens on the first port there is.
        let daemon = try await DaemonSite().start(gpsd: "127.0.0.1:1")
        let watch = try await ChildProcess([Products.locationctl, "watch", "--socket", daemon.site.socket])
        // The reason is known now.
        try await watch.error(containing: "Connection refused")
        let result = try await daemon.site.locationctl("get", "--timeout", "0.2")
        #expect(result.code == 75)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("No fix came in time. Connection refused at 127.0.0.1:1. Is gpsd running?"))
        watch.signal(SIGTERM)
        _ = try await watch.exitCode()
        try await daemon.stop()
    }

    @Test(arguments: ["get", "watch", "follow"])
    func denied(command: String) async throws {
        let site = try DaemonSite()
        try site.declare(
            "org.locationd.locationctl", executable: Products.locationctl,
            policy: ["Restricted": true])
        let daemon = try await site.start()
        let result = try await site.locationctl(command)
        #expect(result.code == 77)
        #expect(result.output == "")
        #expect(result.errors.lowercased().contains("policy"))
        try await daemon.stop()
    }

    @Test func configCheck() async throws {
        let site = try DaemonSite()
        let good = try await site.locationctl("config", "check", "--config", site.configuration)
        #expect(good.code == 0)
        #expect(good.output == "No problems found.\n")
        try site.write(
            "clients.d/broken.plist", list: ["CFBundleIdentifier": "org.example.Broken", "Mitch": [:]])
        let file = site.directory.path + "/clients.d/broken.plist"
        for result in [
            try await site.locationctl("config", "check", "--config", site.configuration),
            try await site.locationctl("config", "check", file),
        ] {
            #expect(result.code == 78)
            #expect(result.output == "")
            #expect(result.errors.contains("\(file):4: Mitch: "))
            #expect(result.isPlain)
        }
        let absent = try await site.locationctl("config", "check", "--config", site.directory.path + "/none.plist")
        #expect(absent.code == 78)
    }
}
