import StrictJSON

/// What follows from an answer.
package enum ShareVerdict: Hashable, Sendable {
    /// The service has the message.
    case stored
    /// The message is sent again, after this number of seconds if the service names one.
    case again(String, after: Int? = nil)
    /// The answer is one for wrong settings, which also comes from a service that starts, from a proxy without it or from a captive
    /// portal. The message is sent again; if all answers are like this for ten minutes, the settings are wrong.
    case doubtful(String)
    /// The service failed at this message, or fails at all. The message is sent again; a queued position at which the service fails
    /// repeatedly while it stores others is left out.
    case unclear(String)
    /// The service refused this message. If it refuses others as well for ten minutes, the settings are wrong.
    case refused(String)
    /// The settings are wrong, which no answer can say: nothing more is sent until the user has changed them.
    case wrong(String)
}

/// The rules for the answers of the services. A 2xx does not mean that a message was stored: the content decides.
package enum ShareAnswer {
    /// What follows from an answer. The sentences end with a full stop.
    ///
    /// - Parameters:
    ///   - isTest: true for the answer to a test, which stores nothing.
    ///   - redirect: the URL that a redirection leads to.
    ///   - origin: the origin of the destination's URL.
    package static func verdict(
        of service: SharingService, isTest: Bool = false, status: Int, body: [UInt8], retryAfter: Int? = nil,
        redirect: String? = nil, origin: String
    ) -> ShareVerdict {
        switch status {
        case 200..<300: return stored(service, isTest, body, origin)
        case 300..<400:
            let target = redirect.flatMap { ServiceURL.origin(of: $0) } ?? "another address"
            guard service != .overland else {
                return .doubtful(
                    "\(origin) redirects to \(target), as for a wrong URL or token. \(service.whereToFindTheURL)")
            }
            return .doubtful("\(origin) redirects to \(target). Add the destination with the URL there.")
        case 500: return .unclear("\(origin) fails (HTTP status 500).")
        case 408, 425, 429, 501...:
            return .again("\(origin) accepts nothing now (HTTP status \(status)).", after: retryAfter)
        default: return refused(service, status, origin)
        }
    }

    private static func stored(
        _ service: SharingService, _ isTest: Bool, _ body: [UInt8], _ origin: String
    ) -> ShareVerdict {
        let content = body.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let isStored: Bool
        switch service {
        case .homeassistant:
            // An empty answer comes from an unknown webhook as well.
            if content.isEmpty {
                return .doubtful(
                    "\(service.name) at \(origin) does not know this webhook, or has just started. "
                        + service.whereToFindTheURL)
            }
            isStored = content.first == UInt8(ascii: "[")
        // What there is may be a queued command, which is ignored. A page is another server's.
        case .traccar: isStored = content.first != UInt8(ascii: "<")
        case .dawarich: isStored = object(content)?["data"]?.objects.map { isTest || !$0.isEmpty } == true
        case .owntracks:
            isStored = content.first == UInt8(ascii: "[") || object(content)?["_type"]?.string == "encrypted"
        case .overland: isStored = object(content)?["result"]?.string == "ok"
        case .mqtt, .nmea, .signalk: isStored = false
        }
        return isStored
            ? .stored
            : .again("\(origin) did not answer as \(service.name) does, as in the network of a captive portal.")
    }

    private static func object(_ content: ArraySlice<UInt8>) -> JSONOutline? { try? JSONOutline(Array(content)) }

    private static func refused(_ service: SharingService, _ status: Int, _ origin: String) -> ShareVerdict {
        let code = "(HTTP status \(status))"
        switch (service, status) {
        case (.traccar, 400), (.traccar, 404):
            return .doubtful("Traccar at \(origin) does not know the device \(code). \(service.whereToFindTheURL)")
        case (.dawarich, 401), (.overland, 401):
            return .doubtful("\(origin) does not accept the key \(code). \(service.whereToFindTheURL)")
        case (.dawarich, 402), (.dawarich, 403):
            return .doubtful("Dawarich at \(origin) takes no more positions for this account \(code).")
        case (_, 401), (_, 403):
            return .doubtful("\(origin) requires a password \(code), as a proxy does.")
        case (_, 404), (_, 405):
            return .doubtful("\(origin) takes no positions at this URL \(code). \(service.whereToFindTheURL)")
        default: return .refused("\(origin) refuses the position \(code).")
        }
    }
}
