import CommandSupport
import LocationDiagnosis

/// Findings for people: by the part of the way that they are about, problems in capitals, remedies below them.
enum DiagnosisReport {
    /// The longest line, in characters: several paths may be in it, and what the service says.
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
        case .notLookedAt: "-        "
        }
    }

    private static func summary(_ findings: [Finding]) -> String {
        let problems = findings.count { $0.severity == .problem }
        return switch problems {
        case 0: "Nothing needs mending."
        case 1: "One problem needs mending."
        default: "\(problems) problems need mending."
        }
    }
}
