import FoundationEssentials
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
            let password = access.key.map { Data($0.utf8).base64EncodedString() }
            headers += labels + (password.map { ["Authorization: Basic \($0)"] } ?? [])
            body = OwnTracksMessage.body(message, topic: "owntracks/\(destination.user)/\(destination.device)")
        case .traccar:
            guard case .positions(let records) = message, let record = records.last, let key = access.key else {
                return nil
            }
            body = TraccarMessage.body(record, device: key)
        case .dawarich, .overland:
            guard let key = access.key else { return nil }
            headers.append("Authorization: Bearer \(key)")
            switch message {
            case .positions(let records): body = OverlandMessage.body(records, device: destination.device)
            case .test: body = OverlandMessage.body([], device: destination.device)
            case .end: return nil
            }
        case .mqtt, .nmea, .signalk: return nil
        }
    }
}
