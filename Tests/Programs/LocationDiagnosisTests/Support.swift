@testable import LocationDiagnosis
import Testing

extension Check {
    /// The findings in short, for tables: `problem gpsd.port`.
    var short: [String] { findings.map { "\($0.severity.rawValue) \($0.topic.rawValue)" } }
    /// Everything that is said.
    var text: String { findings.map { [$0.found, $0.remedy ?? ""].joined(separator: "\n") }.joined(separator: "\n") }
}

/// A row of a table: evidence that was made up, and what it has to come to.
struct Judged<Evidence: Check>: Sendable, CustomTestStringConvertible {
    let check: Evidence
    let short: [String]
    let words: String

    /// `check` with some of it changed comes to `short`, and says `words` somewhere.
    init(_ check: Evidence, _ short: [String], _ words: String, _ change: (inout Evidence) -> Void = { _ in }) {
        self.check = with(check, change)
        self.short = short
        self.words = words
    }

    var testDescription: String { "\(short): \(words)" }

    func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(check.short == short, sourceLocation: sourceLocation)
        #expect(words.isEmpty || check.text.contains(words), "\(check.text)", sourceLocation: sourceLocation)
    }
}

/// The user that the service runs as, and gpsd's.
let locationd = ProcessIdentity(userID: 990, groups: [990])
let gpsdUser = ProcessIdentity(userID: 110, groups: [20])

/// A value with some of it changed.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}
