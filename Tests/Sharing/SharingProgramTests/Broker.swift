import FoundationEssentials
import Glibc
import LocationSharing
import NIOCore
import SharingProgram
import TestSupport
import Testing

/// A Mosquitto of the system's, with a port for TLS and passwords, one for readers without them, and a socket.
final class Broker {
    /// A message as the reader prints it.
    struct Message: Decodable {
        struct Content: Decodable {
            var _type: String?
            var _id: String?
            var lat: Double?
            var tst: Int?
            var vel: Double?
        }

        var subscribed: Bool?
        var topic: String?
        var retained: Bool?
        var payload: String?
        var expiry: Int?

        /// What the payload has; `nil` for an empty one.
        var content: Content? {
            payload.flatMap { try? JSONDecoder().decode(Content.self, from: Data($0.utf8)) }
        }
    }

    /// A program that subscribes, of another implementation of MQTT.
    struct Reader {
        let process: ChildProcess

        /// The next message.
        func message() async throws -> Message {
            while true {
                guard let line = try await process.output.receive() else {
                    throw AwaitedInVain("a message", because: try await process.errors.rest())
                }
                let message = try JSONDecoder().decode(Message.self, from: Data(line.utf8))
                if message.subscribed == nil { return message }
            }
        }

        /// Waits until it has subscribed.
        func subscribed() async throws {
            let line = try #require(try await process.output.receive())
            #expect(try JSONDecoder().decode(Message.self, from: Data(line.utf8)).subscribed == true)
        }
    }

    static let program = "/usr/sbin/mosquitto"

    let directory: TemporaryDirectory
    private(set) var (port, plainPort): (Int, Int)
    private(set) var process: ChildProcess
    var socket: String { directory.path + "/socket" }
    var address: String { "mqtts://localhost:\(port)" }

    /// Starts it. The user `van` with the password `secret` may publish to `owntracks/fleet/van`, and `other` to nothing.
    ///
    /// - Parameter settings: more lines of its configuration.
    init(_ settings: String = "") async throws {
        directory = try TemporaryDirectory()
        let server = Webhooks.authority.replacing("authority.pem", with: "server.pem")
        let accounts = directory.path + "/accounts"
        try "van:secret\nother:secret\n".write(toFile: accounts, atomically: true, encoding: .utf8)
        #expect(try await ChildProcess.run(["/usr/bin/mosquitto_passwd", "-U", accounts]).code == 0)
        try "user van\ntopic write owntracks/fleet/van\n".write(
            toFile: directory.path + "/rights", atomically: true, encoding: .utf8)
        while true {
            (port, plainPort) = (try Self.freePort(), try Self.freePort())
            try """
            per_listener_settings true
            user root
            log_dest stderr
            persistence true
            persistence_location \(directory.path)/
            autosave_on_changes true
            autosave_interval 1
            max_queued_messages 0
            listener 0 \(directory.path)/socket
            allow_anonymous true
            listener \(plainPort) 127.0.0.1
            allow_anonymous true
            listener \(port) 127.0.0.1
            certfile \(server)
            keyfile \(server)
            password_file \(accounts)
            acl_file \(directory.path)/rights
            \(settings)

            """.write(toFile: directory.path + "/mosquitto.conf", atomically: true, encoding: .utf8)
            process = try await Self.start(directory)
            if try await isRunning() { return }
        }
    }

    /// Kills it, and starts it again at the same ports.
    func restart() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
        process = try await Self.start(directory)
        #expect(try await isRunning())
    }

    /// Stops it without its saving anything.
    func kill() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
    }

    /// A reader of a topic, who has subscribed.
    ///
    /// - Parameter session: the name of the reader for whom the broker keeps messages; `nil` for none.
    func reader(of topic: String = "owntracks/#", session: String? = nil) async throws -> Reader {
        let reader = Reader(
            process: try await ChildProcess(
                ["/usr/bin/python3", Webhooks.directory + "/mqtt-reader", "\(plainPort)", topic]
                    + (session.map { ["--session", $0] } ?? [])))
        try await reader.subscribed()
        return reader
    }

    private static func start(_ directory: TemporaryDirectory) async throws -> ChildProcess {
        try await ChildProcess([Broker.program, "-c", directory.path + "/mosquitto.conf"])
    }

    /// True when it listens; false if another program has taken a port meanwhile.
    private func isRunning() async throws -> Bool {
        while let line = try await process.errors.receive() {
            if line.hasSuffix(" running") { return true }
            if line.contains("Address already in use") { break }
        }
        return false
    }

    /// A port that nobody listens at now.
    private static func freePort() throws -> Int {
        let descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return try bind(descriptor)
    }

    /// Binds a socket to a free port of this machine.
    static func bind(_ descriptor: CInt) throws -> Int {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        var bytes = [UInt8](repeating: 0, count: 16)
        var size = socklen_t(bytes.count)
        let isBound = address.withSockAddr { address, length in
            Glibc.bind(descriptor, address, socklen_t(length)) == 0
                && bytes.withUnsafeMutableBytes { bytes in
                    getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
                }
        }
        try #require(isBound)
        return Int(bytes[2]) << 8 | Int(bytes[3])
    }
}
