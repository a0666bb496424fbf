import FoundationEssentials
import Glibc
import LocationModel
import TestSupport
import Testing

/// A machine that does not move: `locationctl sources fixed` and a service without a receiver.
@Suite("A fixed position", .timeLimit(.minutes(10)))
struct FixedPlaceTests {
    /// A site without a receiver.
    private func site() throws -> DaemonSite { try DaemonSite(["GPSD": ["Socket": "/nonexistent/gpsd.sock"]]) }

    private func place(_ site: DaemonSite, _ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            [Products.locationctl, "sources", "fixed"] + arguments + ["--config", site.configuration],
            environment: ["LOCATIOND_SOCKET": site.socket])
    }

    private func line(of process: ChildProcess, containing text: String) async throws -> String {
        while let line = try await process.output.receive() {
            if line.contains(text) { return line }
        }
        throw AwaitedInVain("a line with \(text)", because: try await process.errors.rest())
    }

    @Test("a position is set, delivered, changed, shown and cleared while the service runs, without any receiver")
    func positionIsSetDeliveredAndCleared() async throws {
        let site = try site()
        let daemon = try await site.start(replay: [])
        let set = try await place(site, "set", "-33.87", "151.21")
        #expect(set.code == 0, "\(set.errors)")
        #expect(
            set.output == """
                This machine is at 33.870000° S, 151.210000° E, within 50 m.
                  wrote     \(site.configuration).d/FixedLocation.plist
                  in force  now
                  undo      sudo locationctl sources fixed clear

                """)
        var status = stat()
        #expect(stat("\(site.configuration).d/FixedLocation.plist", &status) == 0)
        #expect(status.st_mode & 0o007 == 0)
        let location = try json(
            try await site.locationctl("get", "--format", "json").output, as: Location.self)
        #expect(location.coordinate.latitude == -33.87)
        #expect(location.horizontalAccuracy == 50)
        #expect(location.sourceInformation == .init(kind: .fixed))

        // A change reaches a program that watches.
        let watch = try await ChildProcess(
            [Products.locationctl, "watch", "--format", "json", "--socket", site.socket])
        _ = try await line(of: watch, containing: "-33.87")
        let change = try await place(
            site, "set", "52.5200,13.4050", "--accuracy", "30", "--altitude", "-3")
        #expect(change.output.contains("undo      sudo locationctl sources fixed set -33.87 151.21 --accuracy 50\n"))
        let next = try json(try await line(of: watch, containing: "52.52"), as: Location.self)
        #expect((next.altitude, next.horizontalAccuracy) == (-3, 30))
        // The line that undoes it is typed as it is printed.
        let undo = try #require(change.output.firstRange(of: "undo      sudo locationctl "))
        let words = change.output[undo.upperBound...].prefix { $0 != "\n" }.split(separator: " ").map(String.init)
        let undone = try await ChildProcess.run(
            [Products.locationctl] + words + ["--config", site.configuration],
            environment: ["LOCATIOND_SOCKET": site.socket])
        #expect(undone.output.hasPrefix("This machine is at 33.870000° S"), "\(undone.errors)")
        #expect(try await place(site, "set", "52.52", "13.405", "--accuracy", "30", "--altitude", "-3").code == 0)

        let shown = try await place(site, "--format", "json")
        #expect(shown.output.contains(#""horizontalAccuracy":30,"isSet":true,"latitude":52.52"#))
        let again = try await place(site, "set", "52.52", "13.405", "--accuracy", "30", "--altitude=-3")
        #expect(again.output.contains("nothing was changed"))
        #expect(try await place(site, "clear").code == 0)
        #expect(try await place(site).output.hasPrefix("No position is set."))
        #expect(try await place(site, "--format", "json").output == "{\"isSet\":false}\n")
        #expect(access("\(site.configuration).d/FixedLocation.plist", F_OK) != 0)
        // It is the package's.
        #expect(access("\(site.configuration).d", F_OK) == 0)
        #expect(try await place(site, "clear").output == "No position was set, and nothing was changed.\n")
        try await daemon.stop()
    }

    @Test(
        "sources fixed set --here takes the location that a receiver has now",
        .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
    func positionOfTheReceiver() async throws {
        let (receiver, directory) = (try await SerialReceiver(), try TemporaryDirectory())
        let gpsd = try await GPSD.overUnixSocket(in: directory, reading: receiver)
        let site = try DaemonSite(["GPSD": ["Socket": .string(gpsd.address)]])
        let daemon = try await site.start(replay: [])
        // gpsd has too few satellites to say how accurate it is.
        let unknown = try await place(site, "set", "--here")
        #expect(unknown.code == 75)
        #expect(unknown.errors.contains("does not say how accurate the location is"), "\(unknown.errors)")
        let set = try await place(site, "set", "--here", "--altitude", "519", "--accuracy", "8")
        #expect(set.code == 0, "\(set.errors)")
        let shown = try json(try await place(site, "--format", "json").output, as: Shown.self)
        #expect(abs(shown.latitude - SerialReceiver.latitude) < 1e-6)
        #expect(abs(shown.longitude - SerialReceiver.longitude) < 1e-6)
        #expect(shown.altitude == 519)
        #expect(shown.horizontalAccuracy == 8)

        // The position that is set is not a location to set it from.
        try await gpsd.stop()
        try await daemon.stop()
        let alone = try await site.start(replay: [])
        let again = try await place(site, "set", "--here")
        #expect(again.code == 75)
        #expect(again.errors.contains("The only location is the position that is set already"), "\(again.errors)")
        try await alone.stop()
    }

    private struct Shown: Decodable {
        var latitude: Double
        var longitude: Double
        var altitude: Double?
        var horizontalAccuracy: Double
    }

    @Test("while the service does not run, a position is written for its start")
    func positionIsSetForTheNextStart() async throws {
        let site = try site()
        let set = try await place(site, "set", "1", "2")
        #expect(set.output.contains("in force  when the service starts"), "\(set.output)\(set.errors)")
        let daemon = try await site.start(replay: [])
        #expect(try await site.locationctl("get").output.hasPrefix("1.000000° N, 2.000000° E"))
        try await daemon.stop()
    }

    @Test(
        "doctor requires neither gpsd nor a receiver", .enabled(if: !Self.hasDevice, "gpsd's settings name a receiver"))
    func doctorMissesNoReceiver() async throws {
        struct Finding: Decodable {
            var identifier: String
            var severity: String
            var found: String
        }
        func expectNone(_ site: DaemonSite) async throws {
            let daemon = try await site.start(replay: [])
            let result = try await site.locationctl("doctor", "--config", site.configuration, "--format", "json")
            let findings = try json(result.output, as: [Finding].self).filter { finding in
                ["gpsd.installed", "gpsd.reachable", "source.", "receiver."].contains(
                    where: finding.identifier.hasPrefix)
            }
            #expect(findings.contains { $0.found.contains("locations come from the fixed position") })
            #expect(findings.filter { $0.severity == "problem" }.map(\.found) == [])
            try await daemon.stop()
        }
        let site = try site()
        _ = try await place(site, "set", "1", "2")
        try await expectNone(site)
        guard GPSD.isInstalled else { return }
        let directory = try TemporaryDirectory()
        let gpsd = try await GPSD.overUnixSocket(in: directory, reading: nil)
        let other = try DaemonSite(["GPSD": ["Socket": .string(gpsd.address)]])
        _ = try await place(other, "set", "1", "2")
        try await expectNone(other)
        try await gpsd.stop()
    }

    /// True if Debian's settings of gpsd name a receiver, which the machine then is to have.
    private static let hasDevice =
        (try? String(contentsOfFile: "/etc/default/gpsd", encoding: .utf8))?.split(separator: "\n")
        .contains { $0.hasPrefix("DEVICES=\"/") } ?? false

    @Test(
        "an invalid position is refused, and nothing is written",
        arguments: [
            (["91", "0"], "is not a position"), (["1"], "is not a position"), ([], "Give a position"),
            (["1", "2", "--accuracy", "0"], "--accuracy takes"), (["--here", "1", "2"], "Give a position"),
            (["1", "2", "--altitude", "-20000"], "--altitude takes"),
            (["48", "12", "16", "22", "30"], "has more than one meaning. To choose one, run:"),
            (["https://www.openstreetmap.org/copyright"], "is a link without a position in it"),
        ])
    func wrongPositionsAreRefused(words: [String], expected: String) async throws {
        let site = try site()
        let result = try await ChildProcess.run(
            [Products.locationctl, "sources", "fixed", "set"] + words + ["--config", site.configuration])
        #expect(result.code != 0)
        #expect(result.errors.contains(expected))
        #expect(access("\(site.configuration).d", F_OK) != 0)
    }

    @Test("settings of a service whose property list does not exist are not written")
    func misspeltPropertyList() async throws {
        let site = try site()
        let file = "\(site.directory.path)/locatoind.plist"
        let result = try await ChildProcess.run([
            Products.locationctl, "sources", "fixed", "set", "1", "2", "--config", file,
        ])
        #expect(result.code == 64)
        #expect(result.errors.hasPrefix("Error: --config: \(file) does not exist.\n"), "\(result.errors)")
        #expect(access("\(file).d", F_OK) != 0)
    }

    @Test("sources lists every kind, with the settings that enable those that are off")
    func sourcesListsEveryKind() async throws {
        let site = try site()
        _ = try await place(site, "set", "1", "2")
        let daemon = try await site.start(replay: [])
        let text = try await site.locationctl("sources")
        #expect(text.code == 0)
        for line in [
            "receiver  /nonexistent/gpsd.sock", "modem     off", "sudo locationctl sources enable modem",
            "wifi      off",
            "fixed     FixedLocation, not needed now",
        ] {
            #expect(text.output.contains(line), "\(text.output)")
        }
        #expect(!text.output.contains("sudo locationctl sources fixed set"))
        let list = try await site.locationctl("sources", "--format", "json")
        #expect(list.output.contains(#""kind":"fixed""#))
        try await daemon.stop()
        let without = try await site.locationctl("sources")
        #expect(without.code == 69)
        #expect(without.output.contains("fixed     off"))
    }

    @Test("sources disable modem removes the key and says how to undo it")
    func modemIsDisabled() async throws {
        let site = try site()
        let result = try await site.locationctl("sources", "disable", "modem", "--config", site.configuration)
        #expect(result.output == "The modem’s receiver is off already.\n")
    }
}
