@testable import LocationSharing

extension ShareVerdict {
    /// The name of the case, for tables of answers.
    var name: String {
        switch self {
        case .stored: "stored"
        case .again: "again"
        case .doubtful: "doubtful"
        case .unclear: "unclear"
        case .refused: "refused"
        case .wrong: "wrong"
        }
    }
}
