/// One thing that was looked at: what was found and, where that is not well, what to do about it.
package struct Finding: Hashable, Sendable {
    /// How much it matters.
    package enum Severity: String, Encodable, Sendable, CaseIterable {
        /// It is as it should be.
        case ok
        /// Nothing is broken, but somebody may want it otherwise.
        case advice
        /// It needs mending.
        case problem
        /// It could not be looked at, which is nobody's fault.
        case notLookedAt
    }

    /// What was looked at.
    package var topic: Topic
    /// How much it matters.
    package var severity: Severity
    /// Which one it was, where there are several: a device, a file, a unit.
    package var subject: String?
    /// What was found, as a sentence without its full stop.
    package var found: String
    /// What to do, in sentences and commands, over as many lines as it takes; not there where nothing is to be done.
    package var remedy: String?

    package static func ok(_ topic: Topic, _ found: String, subject: String? = nil) -> Finding {
        Finding(topic: topic, severity: .ok, subject: subject, found: found, remedy: nil)
    }

    package static func advice(_ topic: Topic, _ found: String, remedy: String, subject: String? = nil) -> Finding {
        Finding(topic: topic, severity: .advice, subject: subject, found: found, remedy: remedy)
    }

    package static func problem(_ topic: Topic, _ found: String, remedy: String, subject: String? = nil) -> Finding {
        Finding(topic: topic, severity: .problem, subject: subject, found: found, remedy: remedy)
    }

    /// `reason` says why, to follow “not looked at: ”.
    package static func notLookedAt(_ topic: Topic, _ what: String, _ reason: String) -> Finding {
        Finding(
            topic: topic, severity: .notLookedAt, subject: nil, found: "\(what): not looked at: \(reason)", remedy: nil)
    }
}

extension Finding: Encodable {
    private enum CodingKeys: String, CodingKey {
        case topic = "identifier"
        case severity, subject, found, remedy
    }
}
