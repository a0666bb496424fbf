/// What follows from an answer.
package enum ShareVerdict: Hashable, Sendable {
    /// The service has the message.
    case stored
    /// The message is sent again, after this number of seconds if the service names one.
    case again(String, after: Int? = nil)
    /// The message is sent again; if all answers are like this for ten minutes, the settings are wrong.
    case doubtful(String)
    /// The service refused this message. If it refuses a newer one as well, the settings are wrong.
    case refused(String)
    /// The settings are wrong: nothing more is sent until the user has changed them.
    case wrong(String)
}

/// The rules for the answers of Home Assistant's webhooks, which answer 200 to an unknown webhook as well: the content decides.
package enum HomeAssistantAnswer {
    /// What follows from an answer. The sentences end with a full stop or a remedy.
    ///
    /// - Parameters:
    ///   - redirect: the URL that a redirection leads to.
    ///   - origin: the origin of the destination's URL.
    package static func verdict(
        status: Int, body: [UInt8], retryAfter: Int? = nil, redirect: String? = nil, origin: String
    ) -> ShareVerdict {
        let content = body.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        switch status {
        case 200..<300 where content.first == UInt8(ascii: "["): return .stored
        case 200..<300 where content.isEmpty:
            return .doubtful(
                "Home Assistant at \(origin) does not know this webhook, or has just started. "
                    + SharingService.homeassistant.whereToFindTheURL)
        case 200..<300:
            return .again("\(origin) did not answer as Home Assistant does, as in the network of a captive portal.")
        case 300..<400:
            let target = redirect.flatMap { ServiceURL.origin(of: $0) } ?? "another address"
            return .wrong("\(origin) redirects to \(target). Add the destination with the URL there.")
        case 404, 405:
            return .wrong(
                "\(origin) has no webhooks of Home Assistant (HTTP status \(status)). "
                    + SharingService.homeassistant.whereToFindTheURL)
        case 401, 403:
            return .wrong("\(origin) lets nobody in without a password (HTTP status \(status)), as a proxy does.")
        case 408, 425, 429, 500...:
            return .again("\(origin) takes nothing now (HTTP status \(status)).", after: retryAfter)
        default: return .refused("\(origin) refuses the position (HTTP status \(status)).")
        }
    }
}
