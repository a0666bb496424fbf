import CommandLineSupport
import LocationDiagnosis

/// Formats findings for people: under headings, with problems in capitals and remedies below.
enum DiagnosisReport {
    /// The longest line in characters. It may contain several paths and messages of the service.
    private static let limit = 1024
    private static let indentation = String(repeating: " ", count: 11)

    static func lines(_ findings: [Finding]) -> [String] {
        var lines: [String] = []
        var area: String?
        for finding in findings {
            if finding.topic.area != area {
                if area != nil { lines.append("") }
                area = finding.topic.area
                lines.append(finding.topic.area)
            }
            lines.append("  \(mark(finding.severity))\(finding.found.shown(limit: limit))")
            lines += (finding.remedy ?? "").split(separator: "\n").map { indentation + String($0).shown(limit: limit) }
        }
        return lines + ["", summary(findings)]
    }

    private static func mark(_ severity: Finding.Severity) -> String {
        switch severity {
        case .ok: "ok       "
        case .advice: "advice   "
        case .problem: "PROBLEM  "
        case .accepted: "accepted "
        case .notChecked: "-        "
        }
    }

    private static func summary(_ findings: [Finding]) -> String {
        let problems = findings.count { $0.severity == .problem }
        let accepted = findings.count { $0.severity == .accepted }
        let found =
            switch problems {
            case 0: "No problems found"
            case 1: "1 problem found"
            default: "\(problems) problems found"
            }
        return found + (accepted > 0 ? ", \(accepted) accepted." : ".")
    }
}
