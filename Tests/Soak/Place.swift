import BenchmarkLoad
import Glibc
import Measuring
import TestSupport

/// The directory of the soak with everything that the daemon needs, and the daemon.
struct Place {
    static let client = "org.locationd.soak"
    let directory: String
    var socket: String { directory + "/socket" }
    var gpsd: String { directory + "/gpsd" }
    var log: String { directory + "/log" }
    private var configuration: String { directory + "/locationd.plist" }
    private var declaration: String { directory + "/clients.d/\(Self.client).plist" }

    init() throws {
        var template = Array("/tmp/locationd-soak-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SoakError.system("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The other users pass through it.
        chmod(directory, 0o711)
        mkdir(directory + "/clients.d", 0o700)
        mkdir(directory + "/state", 0o700)
        try configure(.good(promptTimeout: 5))
        try declare(true)
    }

    func remove() { TextFile.removeDirectory(directory) }

    /// The content of the daemon's configuration file.
    enum Configuration {
        case good(promptTimeout: Int)
        /// An invalid configuration, in several variants.
        case broken(Int)
    }

    func configure(_ configuration: Configuration) throws {
        let text =
            switch configuration {
            case .good(let promptTimeout):
                PropertyList.text([
                    "ClientDirectories": ["\(directory)/clients.d"], "Agents": [.string(Products.tests)],
                    "PromptTimeout": .integer(promptTimeout),
                    "Limits": ["ConnectionsPerUser": 65_536, "SubscriptionsPerUser": 65_536],
                ])
            case .broken(0): PropertyList.text(["Limits": "none"])
            case .broken(1): "<plist version=\"1.0\"><dict><key>Limi"
            case .broken: String(repeating: "<array>", count: 20_000)
            }
        try TextFile.write(text, to: self.configuration)
    }

    /// Declares the soak as a client, or removes the declaration.
    func declare(_ isDeclared: Bool) throws {
        guard isDeclared else {
            unlink(declaration)
            return
        }
        try TextFile.write(
            PropertyList.text([
                "CFBundleIdentifier": .string(Self.client), "CFBundleDisplayName": "Soak",
                "NSLocationWhenInUseUsageDescription": "Soaks.",
                "NSLocationAlwaysAndWhenInUseUsageDescription": "Soaks.",
                "Match": ["Executable": .string(Products.tests)],
            ]), to: declaration)
    }

    /// Starts the daemon that is beside this program, and waits until it is ready.
    func startDaemon() throws -> pid_t {
        let notify = directory + "/notify"
        let service = notify_listen(notify)
        guard service >= 0 else { throw SoakError.system("listen at \(notify)") }
        defer { close(service) }
        let arguments = [
            Products.locationd, "--config", configuration, "--socket", socket, "--state-directory",
            directory + "/state",
            "--gpsd", gpsd, "--log-level", "error",
        ]
        let strings = arguments.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        let list = strings.map { UnsafePointer($0) } + [nil]
        let process = list.withUnsafeBufferPointer { list in
            notify.withCString { notify in
                log.withCString { log in
                    var plan = process_plan(
                        arguments: list.baseAddress, notify_socket: notify, preload: nil, log: log, cpu: -1,
                        descriptors: 16_384)
                    return process_start(&plan)
                }
            }
        }
        guard process > 0, notify_wait_ready(service, 10) >= 0 else {
            throw SoakError.noDaemon(log: (try? TextFile.read(log)) ?? "")
        }
        return process
    }
}

/// An error that stops the soak.
enum SoakError: Error {
    case system(String)
    case noDaemon(log: String)
    case interrupted
    case noAnswer(String)
}
