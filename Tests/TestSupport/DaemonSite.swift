import FoundationEssentials
import Glibc

/// The executables that were built with the tests: they are beside them.
package enum Products {
    package static let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    package static let locationd = directory + "/locationd"
    package static let locationctl = directory + "/locationctl"
    package static let outsider = directory + "/Outsider"
    package static let impostor = directory + "/impostor"
    package static let locationctlMap = directory + "/locationctl-map"
    package static let locationdShare = directory + "/locationd-share"

    /// Where they are.
    package static let directory = String(tests[..<(tests.lastIndex(of: "/") ?? tests.startIndex)])
}

/// The files of one daemon in a directory of their own: its property list, its clients' and a track to replay. The
/// programs that are declared are `locationctl` and this process.
package struct DaemonSite: Sendable {
    /// Where the track begins.
    package static let (latitude, longitude) = (12.345678, 98.765432)

    package let directory: TemporaryDirectory
    package var configuration: String { directory.path + "/locationd.plist" }
    package var socket: String { directory.path + "/socket" }
    package var track: String { directory.path + "/track.json" }

    /// `settings` are keys of its property list.
    package init(_ settings: PropertyList = [:]) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/clients.d", withIntermediateDirectories: false)
        try configure(settings)
        try declare("org.example.Tests", executable: Products.tests)
        try declare("org.locationd.locationctl", executable: Products.locationctl)
        try Self.recording.write(toFile: track, atomically: true, encoding: .utf8)
    }

    /// Writes a file, such as a broken property list.
    package func write(_ file: String, _ text: String) throws {
        try text.write(toFile: directory.path + "/" + file, atomically: true, encoding: .utf8)
    }

    package func write(_ file: String, list: PropertyList) throws { try write(file, PropertyList.text(list)) }

    /// Writes the daemon's property list: its client directory and what is given.
    package func configure(_ settings: PropertyList = [:], agents: String...) throws {
        let agents: PropertyList = agents.isEmpty ? [:] : ["Agents": .array(agents.map { .string($0) })]
        try write("locationd.plist", list: settings + agents + ["ClientDirectories": ["\(directory.path)/clients.d"]])
    }

    /// Declares a program, which may always know where it is unless `policy` says otherwise; `more` are keys of its
    /// declaration.
    package func declare(
        _ identifier: String, executable: String, policy: PropertyList = ["PresetAuthorization": "always"],
        _ more: PropertyList = [:]
    ) throws {
        try write(
            "clients.d/\(identifier).plist",
            list: more + [
                "CFBundleIdentifier": "\(identifier)", "NSLocationWhenInUseUsageDescription": "For a test.",
                "Match": ["Executable": "\(executable)"], "Policy": policy,
            ])
    }

    /// Starts a daemon here, which listens when this returns. Without a `gpsd` it replays the track, or what the options
    /// in `replay` say. `wrapper` is a program with its arguments that becomes the daemon in the end, such as `prlimit`. Its
    /// state is kept here, too, unless `state` is another directory.
    package func start(
        gpsd: String? = nil, replay: [String]? = nil, state: String? = nil, wrapper: [String] = []
    ) async throws -> DaemonProcess {
        let source = gpsd.map { ["--gpsd", $0] } ?? replay ?? ["--replay", track]
        let process = try await ChildProcess(
            wrapper + [
                Products.locationd, "--config", configuration, "--socket", socket, "--state-directory",
                state ?? directory.path,
            ] + source)
        let daemon = DaemonProcess(process: process, site: self)
        try await daemon.log(containing: " listens at ")
        return daemon
    }

    /// Runs `locationctl` with this daemon's socket.
    package func locationctl(_ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run([Products.locationctl] + arguments, environment: ["LOCATIOND_SOCKET": socket])
    }

    /// The number of fixes in the track. A daemon that has played it begins again.
    package static let trackLength = 800
    /// The distance between two fixes of the track, in degrees of latitude.
    private static let step = 1e-5

    /// The index of the track's fix at a latitude.
    package static func placeInTrack(latitude: Double) -> Int { Int(((latitude - Self.latitude) / step).rounded()) }

    /// Twenty fixes a second for forty seconds, each 1.1 m north of the last.
    private static let recording = (0..<trackLength).map { index in
        let milliseconds = 10_000 + index * 50
        let time = "\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"
        return #"{"class":"TPV","device":"/dev/recorded","mode":3,"time":"2026-01-01T00:00:\#(time)Z","#
            + #""lat":\#(latitude + Double(index) * step),"lon":\#(longitude),"altMSL":100.5,"eph":8.0}"#
    }.joined(separator: "\n")
}

/// A running `locationd`.
package struct DaemonProcess: Sendable {
    package let process: ChildProcess
    package let site: DaemonSite

    /// Waits for a line of the log. Those before it are passed over.
    @discardableResult
    package func log(containing text: String) async throws -> String { try await process.error(containing: text) }

    /// Ends it. Gives its exit code and what is left of its log.
    @discardableResult
    package func stop() async throws -> (code: Int32, log: String) {
        process.signal(SIGTERM)
        return (try await process.exitCode(), try await process.errors.rest())
    }
}
