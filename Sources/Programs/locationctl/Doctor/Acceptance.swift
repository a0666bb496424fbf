import ArgumentParser
import CommandLineSupport
import LocationClient
import LocationDiagnosis
import TextSupport

/// The findings that a user has accepted, in the settings.
enum Acceptance {
    /// The topic with an identifier on the command line.
    static func topic(_ identifier: String) throws -> Topic {
        if let topic = Topic(rawValue: identifier) { return topic }
        let hint =
            Topic.allCases.map(\.rawValue).suggestion(for: identifier).map { "Did you mean \($0)?" }
            ?? "To see the identifiers of what is found, run: locationctl doctor --format json"
        throw ValidationError("There is no finding \(identifier.shown()). \(hint)")
    }

    /// Accepts the problems and advice with this identifier, as they are now.
    static func accept(_ topic: Topic, among findings: [Finding]) throws(LocationError) {
        let found = findings.filter { $0.topic == topic && ($0.severity == .problem || $0.severity == .advice) }
        guard !found.isEmpty else {
            throw .refused(
                message: "There is no problem and no advice \(topic.rawValue) now, so there is nothing to accept.")
        }
        try UserSettings.change { file in
            for finding in found { file.add(.accepted, finding.acceptance) }
        }
    }

    /// Undoes the acceptance of all findings with this identifier.
    static func unaccept(_ topic: Topic) throws(LocationError) {
        var isFound = false
        try UserSettings.change { file in
            isFound = file.remove(.accepted) { $0 == topic.rawValue || $0.hasPrefix(topic.rawValue + " ") }
        }
        guard isFound else {
            throw .refused(message: "\(topic.rawValue) is not accepted in \(UserSettings.path).")
        }
    }
}
