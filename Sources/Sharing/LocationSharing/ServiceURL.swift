import WiFiPositioning

/// The URL of a service: a secret, of which only the origin is shown.
package struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL. Whoever knows it can set the position there.
    package let secret: String
    /// The scheme, the host and the port; of a broker's socket its path.
    package let origin: String
    /// True if it begins with `http://` or `mqtt://`.
    package let isPlain: Bool
    private let service: SharingService

    /// The origin, so that the secret is not printed by mistake.
    package var description: String { origin }

    /// The server's name with its port.
    package var server: String { broker?.way == .socket ? origin : String(origin.drop { $0 != "/" }.dropFirst(2)) }

    /// The address of a broker; `nil` for another service.
    package let broker: BrokerAddress?

    /// Reads the URL of a service.
    ///
    /// - Parameter allowsPlain: true to accept `http://`.
    package init(
        _ text: String, of service: SharingService, allowsPlain: Bool
    ) throws(InvalidServiceURL) {
        if service == .mqtt {
            guard let address = BrokerAddress(text) else { throw .notAURL(service) }
            (isPlain, origin) = (address.way == .plain, address.description)
            guard allowsPlain || !isPlain else { throw .plain(origin: origin) }
            (secret, self.service, broker) = (text, service, address)
            return
        }
        broker = nil
        let address: ServerAddress
        do throws(ServerAddress.Flaw) {
            address = try ServerAddress(text, allowsPlain: true)
        } catch {
            throw .notAURL(service)
        }
        isPlain = text.lowercased().hasPrefix("http:")
        origin = "\(isPlain ? "http" : "https")://\(address.name)"
        let path = text.dropFirst(isPlain ? 7 : 8).drop { $0 != "/" && $0 != "?" }
        guard Self.isPath(path, of: service, at: address.name) else { throw .notOfService(service, origin: origin) }
        guard allowsPlain || !isPlain else { throw .plain(origin: origin) }
        secret = text
        self.service = service
    }

    /// The URL to which messages are sent.
    package var target: String {
        if broker != nil { return secret }
        let isBare = secret.dropFirst(isPlain ? 7 : 8).allSatisfy { $0 != "/" && $0 != "?" }
        let base = isBare ? secret + "/" : secret
        return switch service {
        case .dawarich: base + "api/v1/points"
        case .owntracks where isBare || secret.hasSuffix("://\(server)/"): base + "pub"
        case .homeassistant, .traccar, .owntracks, .overland, .mqtt, .nmea, .signalk: base
        }
    }

    private static func isPath(_ path: Substring, of service: SharingService, at server: String) -> Bool {
        switch service {
        case .traccar, .dawarich: return path.isEmpty || path == "/"
        case .owntracks, .overland: return true
        case .mqtt, .nmea, .signalk: return false
        case .homeassistant:
            // Home Assistant Cloud has URLs of its own for webhooks.
            if server == "hooks.nabu.casa" { return path.count > 1 }
            let parts = path.split(separator: "/api/webhook/", omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[1].isEmpty && !parts[1].contains { $0 == "/" || $0 == "?" }
        }
    }

    /// The origin of any URL, for a message about a redirection; `nil` if it is none.
    package static func origin(of text: String) -> String? {
        guard let address = try? ServerAddress(text, allowsPlain: true) else { return nil }
        return "\(text.lowercased().hasPrefix("http:") ? "http" : "https")://\(address.name)"
    }
}

/// The reason why a URL is not accepted. It never contains the URL.
package enum InvalidServiceURL: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no URL of a server.
    case notAURL(SharingService)
    /// The URL does not lead to the part of the service that takes positions.
    case notOfService(SharingService, origin: String)
    /// The key is missing or invalid.
    case key(SharingService)
    /// The URL begins with `http://` or `mqtt://`.
    case plain(origin: String)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .notAURL(.mqtt):
            "This is not the address of a broker, or it has a user's name. \(SharingService.mqtt.whereToFindTheURL)"
        case .notAURL(let service):
            "This is not a URL, or it has a user's name. \(service.whereToFindTheURL)"
        case .notOfService(let service, let origin):
            service == .homeassistant
                ? "This URL at \(origin) is not one of a webhook (…/api/webhook/…). \(service.whereToFindTheURL)"
                : "This URL at \(origin) has a path. \(service.whereToFindTheURL)"
        case .key(let service):
            switch service.key {
            case .none: "\(service.name) needs no key besides the URL."
            case .required(let name): "The key is missing or has spaces (\(name)). \(service.whereToFindTheURL)"
            case .optional(let name): "The key has the form \(name). \(service.whereToFindTheURL)"
            }
        case .plain(let origin):
            "\(origin) would show every network on the way where you are. Use its \(origin.hasPrefix("mqtt") ? "mqtts" : "https")://"
                + " address, or add --plain-http if the "
                + "server is in your own network."
        }
    }
}
