import ArgumentParser
import CommandLineSupport
import Glibc
import LocationSharing
import POSIXSupport
import SharingProgram

struct ShareAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a service or a network to share your position with. Nothing is sent yet.",
        discussion: """
            The service is homeassistant, traccar, dawarich, owntracks (OwnTracks Recorder) or overland (reitti and others). The \
            URL and the key are secrets: they are asked for without showing them, or read from the first and second line of \
            --url-file, and kept in a file that only you can read.

            With mqtt as the service, the address of the broker follows: mqtts://HOST:PORT, or the path of its socket. OwnTracks' \
            messages are published there under owntracks/USER/DEVICE. The user and the password for the broker are secrets: they are asked \
            for, or read from the first line of --url-file, as USER:PASSWORD.

            With nmea or signalk as the service, it is a bridge into a network: everybody there can read your position at a port of yours, as \
            chart plotters do, while you share it.
            """)

    @OptionGroup var owner: ShareOwner

    @Argument(help: ArgumentHelp("What to call it, such as home.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The kind of service, such as homeassistant.", valueName: "service"))
    var service: SharingService

    @Argument(
        help: ArgumentHelp(
            "The address of a broker, as mqtts://broker.example:8883, or the path of its socket (mqtt).",
            valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Read the URL and the key from the lines of this file; - for standard input.", valueName: "file"),
        completion: .file())
    var urlFile: String?

    @Option(
        help: ArgumentHelp(
            "The user under whom the service shows you (default: your login name, or vehicle).", valueName: "text"))
    var userName: String?

    @Option(
        help: ArgumentHelp(
            "The device under which the service shows you (default: the name of this machine).", valueName: "text"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities whose certificates this file has, instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        help: ArgumentHelp("Show the certificate in this file to the broker (mqtt).", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp("The key of that certificate (mqtt).", valueName: "file"), completion: .file())
    var certificateKey: String?

    @Flag(help: "Also let Home Assistant discover the device at the broker (mqtt).")
    var homeAssistant = false

    @Option(
        help: ArgumentHelp(
            "Trust the server with this key (sha256//…), whatever its certificate says.", valueName: "key"))
    var pin: String?

    @Option(
        help: ArgumentHelp(
            "The interface whose network gets it, and the port to which readers connect, as eth0:10110 (nmea, signalk).",
            valueName: "interface:port"))
    var listen: String?

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The address to which the position is sent by UDP: of a reader, or of all, as 192.168.1.255:10110 (nmea, signalk).",
            valueName: "address:port"))
    var target: String?

    @Flag(
        name: .customLong("public"),
        help: "Also at addresses of the interface that can be reached from the Internet (nmea, signalk).")
    var allowsPublic = false

    @Flag(help: "Accept http:// and mqtt://, without encryption, to an address in a private network.")
    var plainHttp = false

    func run() async throws {
        let directory = try owner.directory
        guard Destination.isName(name) else { throw InvalidDestination.name }
        guard try !directory.destinations().contains(where: { $0.name == name }) else { throw exists }
        if service.isBridge { return try addBridge(to: directory) }
        guard listen == nil, target == nil, !allowsPublic else {
            throw ShareRefusal(
                "\(service.name) has a URL. --listen, --to and --public are for a bridge: nmea, signalk.")
        }
        try checkBrokerOptions()
        let access = try ServiceAccess(try readAccess(), of: service, allowsPlain: plainHttp)
        let url = access.address
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: name, service: service, url: url, user: userName ?? (owner.isSystem ? "vehicle" : Self.loginName),
            device: device ?? Self.machine, using: &generator)
        destination.authorities = try ca.map(Self.absolutePath)
        destination.pin = try pin.map(Self.checkedPin)
        if let certificate, let certificateKey {
            destination.certificate = ClientCertificate(
                file: try Self.absolutePath(certificate), key: try Self.absolutePath(certificateKey))
        }
        if homeAssistant {
            guard HomeAssistantDiscovery.accepts(destination) else {
                throw ShareRefusal(
                    "Home Assistant takes names of letters, digits, - and _ only. Give others with --user-name and --device."
                )
            }
            destination.discoveryPrefix = HomeAssistantDiscovery.prefix
        }
        destination.allowsPlain = plainHttp
        try directory.change { destinations in
            guard !destinations.contains(where: { $0.name == name }) else { throw exists }
            // First, because the program that sends reads it when the destination is there.
            try directory.setURL(access.text, of: name)
            destinations.append(destination)
        }
        var lines = ["\(name): \(destination.summary)."]
        if url.isPlain { lines.append("The position is not encrypted on the way there.") }
        lines.append("To test it, run: \(owner.command("check \(name)"))")
        Terminal.say(lines)
    }

    private func checkBrokerOptions() throws {
        guard service == .mqtt else {
            guard address == nil, certificate == nil, certificateKey == nil, !homeAssistant else {
                throw ShareRefusal(
                    "An address, --certificate, --certificate-key and --home-assistant are for a broker: mqtt. The URL of "
                        + "\(service.name) is a secret, and is asked for.")
            }
            return
        }
        guard pin == nil else {
            throw ShareRefusal("A broker's key cannot be pinned. Give its certificate with --ca FILE.")
        }
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ShareRefusal("Give both --certificate and --certificate-key.")
        }
    }

    private func addBridge(to directory: ShareDirectory) throws {
        guard urlFile == nil, userName == nil, device == nil, ca == nil, pin == nil, !plainHttp, address == nil,
            certificate == nil, certificateKey == nil, !homeAssistant
        else {
            throw ShareRefusal(
                "A bridge has no URL, certificate, user or device. Give it --listen or --to, and --public if need be.")
        }
        let endpoint: BridgeEndpoint
        switch (listen, target) {
        case (let listen?, nil): endpoint = try BridgeEndpoint(listeningAt: listen, allowsPublic: allowsPublic)
        case (nil, let target?):
            endpoint = try BridgeEndpoint(sendingTo: target, allowsPublic: allowsPublic).resolved()
        case (nil, nil):
            throw ShareRefusal(
                "A bridge needs an interface and a port. To see the interfaces, run: ip -brief address. Then run: "
                    + owner.command("add \(name) \(service.rawValue) --listen INTERFACE:10110"))
        case (_?, _?): throw ShareRefusal("Give one of --listen and --to. For both, add two bridges.")
        }
        var generator = SystemRandomNumberGenerator()
        let destination = try Destination(name: name, bridge: service, endpoint: endpoint, using: &generator)
        let readers = try BridgeWords.readers(of: endpoint)
        try directory.change { destinations in
            guard !destinations.contains(where: { $0.name == name }) else { throw exists }
            destinations.append(destination)
        }
        Terminal.say([
            "\(name): \(destination.summary). Nothing is sent yet.", BridgeWords.warning(of: endpoint), readers,
            "To start it, run: \(owner.command("start \(name)"))",
        ])
    }

    private var exists: ShareRefusal {
        ShareRefusal(
            "There is a destination \(name) already. To replace it, first run: \(owner.command("remove \(name)"))"
        )
    }

    /// The lines with the URL and the key.
    private func readAccess() throws -> String {
        let bytes: [UInt8]
        if let address, certificate != nil, urlFile == nil {
            // The certificate names the user.
            return address
        } else if let urlFile, urlFile != "-" {
            do {
                bytes = try VehicleAccount.asRoot { try SmallFile.read(urlFile, limit: 4096) }
            } catch {
                throw ShareRefusal("\(urlFile.shown()) cannot be read: \(error).")
            }
        } else if urlFile == nil, isatty(STDIN_FILENO) != 0 {
            let keys: [String] =
                switch service.key {
                case .none: []
                case .required(let name): [name]
                case .optional(let name): ["\(name), or nothing"]
                }
            bytes = try HiddenInput.lines((address == nil ? ["URL"] : []) + keys, hint: service.whereToFindTheURL)
        } else {
            bytes = try HiddenInput.standardInput(limit: 4096)
        }
        return (address.map { "\($0)\n" } ?? "") + String(decoding: bytes, as: UTF8.self)
    }

    private static var loginName: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }

    /// The name of this machine, without its domain.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "linux" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: ".").first.map(String.init) ?? "linux"
    }

    private static func absolutePath(_ file: String) throws -> String {
        guard let path = realpath(file, nil) else {
            throw ShareRefusal("\(file.shown()) cannot be read: \(Errno()).")
        }
        defer { free(path) }
        return String(cString: path)
    }

    private static func checkedPin(_ pin: String) throws -> String {
        let isPin =
            pin.hasPrefix("sha256//") && pin.utf8.count == 52 && pin.hasSuffix("=")
            && pin.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ";") }
        guard isPin else {
            throw ShareRefusal("--pin takes sha256// and the 44 characters of the key's hash in base 64.")
        }
        return pin
    }
}

extension SharingService: ExpressibleByArgument {}
