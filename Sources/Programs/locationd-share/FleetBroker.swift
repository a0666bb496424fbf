import ArgumentParser
import CommandLineSupport
import FleetModel
import Glibc
import LocationSharing
import POSIXSupport
import SharingProgram

/// The options that select a broker whose vehicles are read, and the credentials for it.
struct FleetBroker: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The broker: mqtts://HOST:PORT, the path of its socket, or the name of one that was added by locationctl share add NAME mqtt "
                + "(default: the only one of these).", valueName: "broker"))
    var broker: String?

    @OptionGroup var access: BrokerAccess

    /// Reads the vehicles. Returns them with the address of the broker.
    func read() throws -> (Fleet, origin: String) {
        let reader = try reader()
        return (try reader.read(into: Fleet()), reader.origin)
    }

    func reader() throws -> FleetReader {
        var generator = SystemRandomNumberGenerator()
        let certificate = access.certificate.flatMap { file in
            access.certificateKey.map { ClientCertificate(file: file, key: $0) }
        }
        if let broker, broker.contains("/") {
            return try FleetReader(
                ServiceAccess(try text(broker), of: .mqtt, allowsPlain: access.plainHttp), authorities: access.ca,
                certificate: certificate, using: &generator)
        }
        guard let directory = ShareDirectory.ofUser else { throw noBroker }
        let added = try directory.destinations().filter { $0.service == .mqtt }
        let chosen = broker.map { name in added.filter { $0.name == name } } ?? added
        guard let destination = chosen.first else {
            guard let broker else { throw noBroker }
            throw ShareRefusal(
                "There is no broker \(broker.shown(limit: 64)). Give its address, as --broker mqtts://broker.example:8883"
                    + (added.isEmpty ? "." : ", or one of: \(added.map(\.name).joined(separator: ", "))."))
        }
        guard chosen.count == 1 else {
            throw ShareRefusal(
                "There are several brokers. Give one with --broker: \(chosen.map(\.name).joined(separator: ", ")).")
        }
        var lines = try directory.url(of: destination.name)
        if access.passwordFile != nil, let address = lines.split(whereSeparator: \.isNewline).first {
            lines = try text(String(address))
        }
        return try FleetReader(
            ServiceAccess(lines, of: .mqtt, allowsPlain: destination.allowsPlain),
            authorities: access.ca ?? destination.authorities, certificate: certificate ?? destination.certificate,
            using: &generator)
    }

    private var noBroker: ShareRefusal {
        ShareRefusal("No broker is known. Give its address, as --broker mqtts://broker.example:8883.")
    }

    /// An address, and in the next line the user and password of the file.
    private func text(_ address: String) throws -> String {
        guard let passwordFile = access.passwordFile else { return address }
        let bytes: [UInt8]
        if passwordFile != "-" {
            do {
                bytes = try SmallFile.read(passwordFile, limit: 4096)
            } catch {
                throw ShareRefusal("\(passwordFile.shown()) cannot be read: \(error).")
            }
        } else if isatty(STDIN_FILENO) != 0 {
            bytes = try HiddenInput.lines(["USER:PASSWORD"], hint: SharingService.mqtt.whereToFindTheURL)
        } else {
            bytes = try HiddenInput.standardInput(limit: 4096)
        }
        return address + "\n" + String(decoding: bytes, as: UTF8.self)
    }
}
