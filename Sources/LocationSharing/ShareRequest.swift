import LocationModel

/// A message as the service takes it.
package struct ShareRequest: Hashable, Sendable {
    /// The URL, which may be a secret.
    package var url: String
    /// The header lines, which may contain a secret.
    package var headers: [String]
    /// The content.
    package var body: [UInt8]

    /// The request for a message; `nil` if the service has none for it: only Home Assistant can be told of the end, and not all
    /// have a test that stores nothing.
    ///
    /// - Parameter version: the release that sends.
    package init?(_ message: ShareMessage, to destination: Destination, _ access: ServiceAccess, version: String) {
        url = access.url
        headers = ["Content-Type: application/json", "User-Agent: locationd/\(version)"]
        let labels = ["X-Limit-U: \(destination.user)", "X-Limit-D: \(destination.device)"]
        switch destination.service {
        case .homeassistant:
            headers += labels
            body = OwnTracksMessage.body(message)
        case .owntracks:
            if case .end = message { return nil }
            headers += labels + (access.key.map { ["Authorization: Basic \(Base64.text(of: Array($0.utf8)))"] } ?? [])
            body = OwnTracksMessage.body(message, topic: "owntracks/\(destination.user)/\(destination.device)")
        case .traccar:
            guard case .position(let record) = message, let key = access.key else { return nil }
            body = TraccarMessage.body(record.location, device: key)
        case .dawarich, .overland:
            guard let key = access.key else { return nil }
            headers.append("Authorization: Bearer \(key)")
            switch message {
            case .position(let record): body = OverlandMessage.body([record.location], device: destination.device)
            case .test: body = OverlandMessage.body([], device: destination.device)
            case .end: return nil
            }
        }
    }
}

/// RFC 4648, for basic authentication.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...3 {
                text.append(index <= group.count ? digits[value >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
