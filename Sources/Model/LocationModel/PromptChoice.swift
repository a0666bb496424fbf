/// A user's possible answers to a location prompt.
///
/// The names are those of the buttons on Apple's systems; the raw values are used in the Varlink interface.
public enum PromptChoice: OpenEnumeration {
    /// Allow While Using.
    case allowWhileUsing
    /// Allow Once.
    case allowOnce
    /// Don't Allow.
    case dontAllow
    /// Keep While Using.
    case keepWhileUsing
    /// Change to Always.
    case changeToAlways
    /// A case of a later release, by its name in the interface.
    case unknown(String)

    /// The cases of this release.
    public static let allCases: [Self] = [.allowWhileUsing, .allowOnce, .dontAllow, .keepWhileUsing, .changeToAlways]

    /// The name in the interface.
    public var rawValue: String {
        switch self {
        case .allowWhileUsing: "allowWhileUsing"
        case .allowOnce: "allowOnce"
        case .dontAllow: "dontAllow"
        case .keepWhileUsing: "keepWhileUsing"
        case .changeToAlways: "changeToAlways"
        case .unknown(let name): name
        }
    }
}
