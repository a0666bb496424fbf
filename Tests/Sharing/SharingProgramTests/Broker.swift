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
            var latitude: Double?
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
    /// The file with the broker's certificate and key.
    private static let server = Webhooks.authority.replacing("authority.pem", with: "server.pem")

    let directory: TemporaryDirectory
    private(set) var (port, plainPort): (Int, Int)
    private(set) var process: ChildProcess
    var socket: String { directory.path + "/socket" }
    var address: String { "mqtts://localhost:\(port)" }

    /// Starts it. The user `van` with the password `secret` may publish to `owntracks/fleet/van`, and `other` to nothing.
    ///
    /// - Parameter settings: more lines of its configuration, for the port with TLS.
    convenience init(_ settings: String = "") async throws {
        try await self.init(users: ["van", "other"], rights: "user van\ntopic write owntracks/fleet/van\n") { site in
            """
            per_listener_settings true
            persistence true
            autosave_on_changes true
            autosave_interval 1
            max_queued_messages 0
            listener 0 \(site.directory)/socket
            allow_anonymous true
            listener \(site.plainPort) 127.0.0.1
            allow_anonymous true
            listener \(site.port) 127.0.0.1
            certfile \(Self.server)
            keyfile \(Self.server)
            password_file \(site.directory)/accounts
            acl_file \(site.directory)/rights
            \(settings)
            """
        }
    }

    /// Starts it with the files of `Config/mosquitto`, but for the paths and the port.
    ///
    /// - Parameters:
    ///   - users: those who may connect, each with the password `secret`.
    ///   - rights: more lines of the file of rights.
    ///   - certificates: the file with the certificates that clients have to have; `nil` for passwords.
    convenience init(
        shippedFor users: [String], rights: String = "", certificates: String? = nil
    ) async throws {
        let files = Webhooks.directory + "/../../../../Config/mosquitto/locationd"
        let settings = try String(contentsOfFile: files + ".conf", encoding: .utf8)
        let shipped = try String(contentsOfFile: files + ".rights", encoding: .utf8)
        try await self.init(users: users, rights: shipped + rights) { site in
            let settings = settings.replacing("listener 8883", with: "listener \(site.port) 127.0.0.1")
                .replacing("/etc/mosquitto/certs/server.crt", with: Self.server)
                .replacing("/etc/mosquitto/certs/server.key", with: Self.server)
                .replacing("/etc/mosquitto/locationd.", with: site.directory + "/")
            guard let certificates else { return settings }
            return ["cafile", "require_certificate", "use_identity_as_username"].reduce(settings) {
                $0.replacing("\n#\($1) ", with: "\n\($1) ")
            }.replacing("/etc/mosquitto/certs/clients.crt", with: certificates)
        }
    }

    /// Starts one on a vehicle, with a bridge of Mosquitto's own to this broker, and the defaults for what waits there.
    convenience init(bridgedTo depot: Broker) async throws {
        try await self.init(users: ["none"], rights: "") { site in
            """
            listener \(site.plainPort) 127.0.0.1
            allow_anonymous true
            connection depot
            address 127.0.0.1:\(depot.plainPort)
            topic owntracks/# out 1
            restart_timeout 1
            """
        }
    }

    /// The place and the ports of a broker.
    struct Site {
        var directory: String
        var port: Int
        var plainPort: Int
    }

    private init(users: [String], rights: String, _ settings: (Site) -> String) async throws {
        directory = try TemporaryDirectory()
        let accounts = directory.path + "/accounts"
        try users.map { "\($0):secret\n" }.joined().write(toFile: accounts, atomically: true, encoding: .utf8)
        #expect(try await ChildProcess.run(["/usr/bin/mosquitto_passwd", "-U", accounts]).code == 0)
        try rights.write(toFile: directory.path + "/rights", atomically: true, encoding: .utf8)
        while true {
            (port, plainPort) = (try Self.freePort(), try Self.freePort())
            let lines = settings(Site(directory: directory.path, port: port, plainPort: plainPort))
            try """
            user root
            log_dest stderr
            persistence_location \(directory.path)/
            \(lines)

            """.write(toFile: directory.path + "/mosquitto.conf", atomically: true, encoding: .utf8)
            process = try await Self.start(directory)
            if try await isRunning() { return }
        }
    }

    /// Kills it, and starts it again at the same ports.
    func restart() async throws {
        try await kill()
        try await start()
    }

    /// Starts it again at the same ports after it was killed.
    func start() async throws {
        process = try await Self.start(directory)
        #expect(try await isRunning())
    }

    /// Stops it without its saving anything.
    func kill() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
    }

    /// Waits until it has saved what it has acknowledged: it does so after each turn of its loop, and answers a new reader in a later
    /// one.
    func waitForSave() async throws { _ = try await reader(of: "none") }

    /// A reader of a topic, who has subscribed.
    ///
    /// - Parameters:
    ///   - session: the name of the reader for whom the broker keeps messages; `nil` for none.
    ///   - user: a user who reads at the port with TLS; `nil` for the other one.
    func reader(of topic: String = "owntracks/#", session: String? = nil, user: String? = nil) async throws -> Reader {
        let session = session.map { ["--session", $0] } ?? []
        let user = user.map { ["--ca", Webhooks.authority, "--user", $0, "--password", "secret"] } ?? []
        let port = user.isEmpty ? plainPort : port
        let reader = Reader(
            process: try await ChildProcess(
                ["/usr/bin/python3", Webhooks.directory + "/mqtt-reader", "\(port)", topic] + session + user))
        try await reader.subscribed()
        return reader
    }

    /// Publishes messages at the port without passwords; with a user, at the other one. They are numbered, and have the type `location`.
    ///
    /// - Parameters:
    ///   - topic: the topic of each, in which `{}` stands for its number.
    ///   - user: a user with the password `secret`.
    func publish(_ count: Int, to topic: String, user: String? = nil, retained: Bool = false) async throws {
        let user = user.map { ["--ca", Webhooks.authority, "--user", $0, "--password", "secret"] } ?? []
        let result = try await ChildProcess.run(
            [
                "/usr/bin/python3", Webhooks.directory + "/mqtt-writer", "\(user.isEmpty ? plainPort : port)", topic,
                "\(count)",
            ]
                + user + (retained ? ["--retain"] : []))
        #expect(result.code == 0, "\(result.errors)")
    }

    /// Publishes positions at the port without passwords, one a second of each vehicle `owntracks/fleet/v0`, `v1` and so on.
    func publish(positions: Int, of vehicles: Int, from start: Int) async throws {
        let writer = try await writer(of: positions, of: vehicles, from: start)
        #expect(try await writer.exitCode() == 0)
    }

    /// A program that publishes positions as ``publish(positions:of:from:)`` does, and ends when the broker has acknowledged them.
    func writer(of positions: Int, of vehicles: Int, from start: Int) async throws -> ChildProcess {
        try await ChildProcess([
            "/usr/bin/python3", Webhooks.directory + "/mqtt-writer", "\(plainPort)", "owntracks/fleet/v{}",
            "\(positions)",
            "--vehicles", "\(vehicles)", "--start", "\(start)",
        ])
    }

    /// Makes a certificate for a name.
    static func certificate(for name: String, in directory: TemporaryDirectory) async throws -> ClientCertificate {
        let certificate = ClientCertificate(
            file: directory.path + "/\(name).pem", key: directory.path + "/\(name).key")
        let made = try await ChildProcess.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=\(name)", "-keyout", certificate.key, "-out", certificate.file,
        ])
        #expect(made.code == 0, "\(made.errors)")
        return certificate
    }

    private static func start(_ directory: TemporaryDirectory) async throws -> ChildProcess {
        try await ChildProcess([Broker.program, "-c", directory.path + "/mosquitto.conf"])
    }

    /// True when it listens; false if another program has taken a port meanwhile.
    private func isRunning() async throws -> Bool {
        var lines = ""
        while let line = try await process.errors.receive() {
            if line.hasSuffix(" running") { return true }
            if line.contains("Address already in use") { return false }
            lines += "\n" + line
        }
        throw AwaitedInVain("the broker", because: lines)
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
