import LocationInterface
package import LocationModel
import LocationPolicy
import WiFiPositioning

/// A service of the user's that can receive the position, or a bridge. The URL of a service, which is a secret, is kept apart.
package struct Destination: Codable, Hashable, Sendable {
    /// The user's name for it.
    package var name: String
    /// The kind of the service.
    package var service: SharingService
    /// The scheme, host and port of its URL, which are no secret: `https://ha.example`. Of a bridge the interface and the port.
    package var origin: String
    /// The end of a bridge; `nil` for a service.
    package var endpoint: BridgeEndpoint?
    /// The user under whom the service files the position.
    package var user: String
    /// The device under which the service files the position.
    package var device: String
    /// The file with the certificates of the authorities to trust; `nil` for the system's.
    package var authorities: String?
    /// The files with the certificate that this machine shows to a broker, and with its key; `nil` for none.
    package var certificate: ClientCertificate?
    /// The topic at a broker under which Home Assistant discovers the tracker; `nil` if it is not to.
    package var discoveryPrefix: String?
    /// The key that the server must have (`sha256//…`), whatever its certificate says; `nil` if its certificate counts.
    package var pin: String?
    /// True if the position may be sent without encryption to an address in a private network.
    package var allowsPlain = false
    /// The key of the grid of reduced positions, 16 bytes.
    package var gridKey: [UInt8]
    /// The share; `nil` if the position is not shared with it.
    package var share: Share?

    /// A destination without a share.
    package init(
        name: String, service: SharingService, url: ServiceURL, user: String, device: String,
        using generator: inout some RandomNumberGenerator
    ) throws(InvalidDestination) {
        guard Self.isName(name) else { throw .name }
        guard Self.isLabel(user) else { throw .label("--user-name", user) }
        guard Self.isLabel(device) else { throw .label("--device", device) }
        (self.name, self.service, origin, self.user, self.device) = (name, service, url.origin, user, device)
        gridKey = AccuracyReduction.Secret(using: &generator).bytes
    }

    /// A bridge without a share.
    package init(
        name: String, bridge service: SharingService, endpoint: BridgeEndpoint,
        using generator: inout some RandomNumberGenerator
    ) throws(InvalidDestination) {
        guard Self.isName(name) else { throw .name }
        (self.name, self.service, origin, user, device) = (name, service, endpoint.description, "", "")
        self.endpoint = endpoint
        gridKey = AccuracyReduction.Secret(using: &generator).bytes
    }

    /// True for a name of letters, digits, `-` and `_`, at most 32: it is part of a file's name.
    package static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && !text.hasPrefix("-") && text.utf8.allSatisfy(isWordByte)
    }

    /// True for a text that can be a header and a part of an MQTT topic: printable ASCII but `/`, `+` and `#`.
    private static func isLabel(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) && !"/+#".utf8.contains($0) }
            && text.utf8.contains(where: isWordByte)
    }

    /// True for a letter, a digit, `-` and `_`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
    }

    /// The name under which the service shows the position, as far as it is known here: Traccar, Dawarich and services for
    /// Overland go by the key. `nil` for a bridge.
    package var shownName: String? {
        switch service {
        case .homeassistant: tracker
        case .owntracks: "\(user)/\(device)"
        case .mqtt: BrokerMessage.topic(of: self)
        case .traccar: "the device with its identifier"
        case .dawarich, .overland: device
        case .nmea, .signalk: nil
        }
    }

    /// Its kind, and its name there.
    package var summary: String {
        recipient + (shownName.map { ", as \($0)" } ?? "")
            + (discoveryPrefix == nil ? "" : ", where Home Assistant discovers it")
    }

    /// Who gets the position: a service and its address, or a network.
    package var recipient: String {
        guard let endpoint else { return "\(service.name) at \(origin)" }
        return "everybody in the network of \(endpoint.interface) (\(service.name), \(endpoint.way))"
    }

    /// True if the position goes to the service without encryption.
    package var isPlain: Bool { origin.hasPrefix("http:") || origin.hasPrefix("mqtt:") }

    /// The tracker that Home Assistant makes of user and device: `device_tracker.ann_van`.
    package var tracker: String {
        let words = "\(user)_\(device)".lowercased().utf8.map {
            Self.isWordByte($0) && $0 != UInt8(ascii: "-") ? $0 : 0x5f
        }
        let parts = String(decoding: words, as: UTF8.self).split(separator: "_")
        return "device_tracker." + parts.joined(separator: "_")
    }
}

/// The files of a client's certificate, by their paths.
package struct ClientCertificate: Codable, Hashable, Sendable {
    /// The file with the certificate.
    package var file: String
    /// The file with its key.
    package var key: String

    /// A certificate in these files.
    package init(file: String, key: String) { (self.file, self.key) = (file, key) }
}

/// A share of the position with one destination.
package struct Share: Codable, Hashable, Sendable {
    /// The time of the start, which identifies a share.
    package var started: Timestamp
    /// The time of the end; `nil` for a share without end.
    package var until: Timestamp?
    /// The place whose reaching ends the share before that; `nil` for none.
    package var arrival: Arrival?
    /// The accuracy of the positions that are sent.
    package var accuracy: AccuracyAuthorization
    /// The fixes that are left out, of services that keep the time of a fix; `nil` for the default.
    package var thinning: Thinning?
    /// The start of the queue of positions that the service does not have yet; `nil` if none are kept. A share that continues
    /// another one has the same.
    package var queue: Timestamp?
    /// True while nothing is sent, though the share has not ended.
    package var isPaused = false

    /// The fixes that are left out, within the ranges of the command line, whatever the file has.
    var thinningInRange: Thinning {
        let thinning = thinning ?? Thinning()
        return Thinning(
            maximumError: max(1, min(thinning.maximumError, 1000)),
            maximumInterval: max(1, min(thinning.maximumInterval, 3600)))
    }

    /// The longest time of a share that ends.
    package static let longest = Duration.seconds(86_400)

    /// A share from now on.
    package init(
        started: Timestamp, until: Timestamp?, accuracy: AccuracyAuthorization = .full, thinning: Thinning? = nil
    ) {
        (self.started, self.until, self.accuracy, self.thinning) = (started, until, accuracy, thinning)
    }
}

/// The reason why a destination is not accepted.
package enum InvalidDestination: Error, Hashable, Sendable, CustomStringConvertible {
    case name
    /// The value of an option that becomes a header.
    case label(String, String)

    /// A sentence with the remedy.
    package var description: String {
        switch self {
        case .name: "A name has 1 to 32 letters, digits, - and _, as in: home"
        case .label(let option, let value):
            "\(option) takes 1 to 64 printable ASCII characters without /, + and #, one of them a letter or digit; “\(value)” is "
                + "something else."
        }
    }
}
