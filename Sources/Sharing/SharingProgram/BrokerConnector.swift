import Glibc
import HTTPTransfer
package import LocationSharing
package import MQTTPublishing

/// The address of a broker, the credentials for it, and the sentences for its errors.
package struct BrokerConnector {
    private let address: BrokerAddress
    private let server: String
    package let origin: String
    private let settings: MQTTConnection.Settings

    /// A way to a broker.
    ///
    /// - Parameters:
    ///   - clientID: the name of the client, of which the broker has one connection at a time.
    ///   - authorities: the file with the certificates of the authorities to trust; `nil` for the system's.
    ///   - certificate: the files with this machine's certificate and its key; `nil` for none.
    ///   - keepAlive: the time after which a silent broker is asked whether it is still there, in seconds; `nil` for the usual one.
    ///   - session: what the broker keeps for this client while it is away; `nil` to have it keep nothing.
    package init(
        _ access: ServiceAccess, clientID: String, authorities: String?, certificate: ClientCertificate?,
        keepAlive: Int? = nil, session: MQTTConnection.Session? = nil
    ) throws(InvalidServiceURL) {
        guard let address = access.address.broker else { throw .notAURL(.mqtt) }
        self.address = address
        (server, origin) = (access.address.server, access.address.origin)
        var settings = MQTTConnection.Settings(
            host: address.host, port: address.port, usesTLS: address.way == .tls, clientID: clientID)
        settings.authorities = authorities
        settings.session = session
        if let keepAlive { settings.keepAlive = keepAlive }
        settings.certificate = certificate.map { ($0.file, $0.key) }
        if let key = access.key {
            let parts = key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            settings.user = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        self.settings = settings
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - timeout: the time for it.
    ///   - longest: the longest content of the session's messages that is delivered, in bytes.
    ///   - deliver: called for each message of the session; `nil` without one.
    package func connect(
        timeout: Duration, isCancelled: () -> Bool, longest: Int = 0, deliver: ((MQTTDelivery) -> Void)? = nil
    ) throws(MQTTFailure) -> MQTTConnection {
        var settings = settings
        if address.way == .plain { settings.host = try privateAddress() }
        return try MQTTConnection(
            settings, until: .init(in: timeout), isCancelled: isCancelled, longest: longest, deliver: deliver)
    }

    /// The address to which a connection without encryption leads, if it is a private one.
    private func privateAddress() throws(MQTTFailure) -> String {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, "\(address.port)", &hints, &list) == 0, let first = list else {
            throw .unresolvable
        }
        defer { freeaddrinfo(list) }
        for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
            let bytes = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            guard PrivateAddress.contains(socketAddress: bytes) else { continue }
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
                    NI_NUMERICHOST)
                    == 0
            else { continue }
            return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        throw .notPrivate
    }

    /// What follows from a failure.
    package func outcome(of failure: MQTTFailure) -> ShareMachine.Outcome {
        switch failure {
        case .unresolvable: .failed("The name of \(server) cannot be resolved.")
        case .unreachable(let words): .failed("\(server) cannot be reached: \(words).")
        case .timeout(let time): .failed("\(server) did not answer within \(time / .seconds(1)) s.")
        case .untrusted:
            // The network of a captive portal looks the same, and is left again.
            .failed(
                "\(TransferFailure.untrusted.message(of: server)). If the broker has a certificate of your own, add it with --ca FILE."
            )
        case .noTLS(let words):
            .failed(
                "\(server) accepts no TLS connection of this machine: \(words). If it requires a certificate, add it with "
                    + "--certificate FILE and --certificate-key FILE.")
        case .unusableFile(let words): .answered(.doubtful("\(words)."))
        // Of another network's name server. Nothing was sent.
        case .notPrivate:
            .answered(.doubtful("\(server) is not in a private network, so that it is reached with mqtts:// only."))
        case .refused(let reason): .answered(BrokerVerdict.connection(reason, origin: origin))
        case .closed(let reason): .answered(BrokerVerdict.end(reason, origin: origin))
        case .tooLarge(let size):
            .answered(.refused("The position is longer than the \(size) bytes that \(origin) accepts."))
        case .retainsNothing:
            .answered(
                .doubtful(
                    "\(origin) keeps no last position, so that readers who connect later would not see it. Its owner has to allow it; "
                        + "in Mosquitto's configuration: retain_available true"))
        case .acknowledgesNothing:
            .answered(
                .doubtful(
                    "\(origin) acknowledges no messages, so that positions could be lost. Its owner has to allow it; in Mosquitto's "
                        + "configuration: max_qos 1"))
        case .notReadable(let reason): .answered(BrokerVerdict.subscription(reason, origin: origin))
        case .cancelled: .cancelled
        case .other(let words): .failed("\(server) cannot be used: \(words).")
        }
    }

    /// The sentence for a failure.
    package func words(about failure: MQTTFailure) -> String {
        outcome(of: failure).problem?.0 ?? "The broker was not read to the end."
    }
}
