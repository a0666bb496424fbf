/// The result of one check, and the remedy for a problem.
package struct Finding: Hashable, Sendable {
    package enum Severity: String, Encodable, Sendable, CaseIterable {
        /// Nothing is wrong.
        case ok
        /// Everything works, but the user may want to change something.
        case advice
        /// Something is wrong.
        case problem
        /// Something is wrong or advised, and the user has accepted it.
        case accepted
        /// The check was not possible.
        case notChecked
    }

    /// The subject of the check.
    package var topic: Topic
    package var severity: Severity
    /// The device, file or unit that was checked, if there can be several.
    package var subject: String?
    /// The result, as a sentence without its full stop.
    package var found: String
    /// The remedy in sentences and commands, on one or more lines; `nil` if there is nothing to do.
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

    /// A problem that the service reports in a sentence, which may end with its remedy.
    ///
    /// - Parameter otherwise: the remedy if it does not.
    static func reported(_ sentence: String, _ topic: Topic, otherwise: String) -> Finding {
        let parts = sentence.split(separator: " To fix it, run: ", maxSplits: 1).map(String.init)
        return .problem(
            topic, "the service reports: \(parts[0].hasSuffix(".") ? String(parts[0].dropLast()) : parts[0])",
            remedy: parts.count == 2 ? parts[1] : otherwise)
    }

    /// The text by which it can be accepted: its identifier, and its subject. It does not apply to another device, file or
    /// address.
    package var acceptance: String { ([topic.rawValue] + [subject].compactMap(\.self)).joined(separator: " ") }

    /// Returns the finding with the severity `accepted` if it is a problem or advice whose ``acceptance`` stands in a file.
    ///
    /// - Parameter files: The files that accept findings, by the acceptances in them.
    package func accepted(by files: [String: String]) -> Finding {
        guard severity == .problem || severity == .advice, let file = files[acceptance] else { return self }
        var finding = self
        finding.severity = .accepted
        finding.remedy = "Accepted in \(file). To undo it, run: locationctl doctor --unaccept \(topic.rawValue)"
        return finding
    }

    /// A check of `part` that was not possible for this reason.
    package static func notChecked(_ topic: Topic, _ part: String, _ reason: String) -> Finding {
        Finding(
            topic: topic, severity: .notChecked, subject: nil, found: "\(part): not checked: \(reason)", remedy: nil)
    }
}

// The only finding of a check, or of a part of one.
extension [Finding] {
    static func ok(_ topic: Topic, _ found: String, subject: String? = nil) -> Self {
        [Finding.ok(topic, found, subject: subject)]
    }

    static func advice(_ topic: Topic, _ found: String, remedy: String, subject: String? = nil) -> Self {
        [Finding.advice(topic, found, remedy: remedy, subject: subject)]
    }

    static func problem(_ topic: Topic, _ found: String, remedy: String, subject: String? = nil) -> Self {
        [Finding.problem(topic, found, remedy: remedy, subject: subject)]
    }
}

extension Finding: Encodable {
    private enum CodingKeys: String, CodingKey {
        case topic = "identifier"
        case severity, subject, found, remedy
    }
}
