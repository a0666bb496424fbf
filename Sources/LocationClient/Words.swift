public import LocationInterface
public import LocationModel

// The service's messages in words for people.

extension LocationDiagnostic {
    /// The sentence for a person.
    public var sentence: String {
        switch self {
        case .authorizationRequestInProgress: "You are being asked whether this program may know where you are."
        case .authorizationDenied: "This program may not know where you are."
        case .authorizationRestricted: "A policy of this machine does not let this program know where you are."
        case .insufficientlyInUse: "This program may know where you are only while it is in use."
        case .accuracyLimited: "This program may know only roughly where you are."
        case .stationary: "You stay where you are; waiting until you move."
        case .locationUnavailable: "No fix now; waiting for one."
        }
    }
}

extension ServiceUpdate {
    /// The obstacle to a location, as a sentence for a person; `nil` if there is none.
    public var sentence: String? {
        if serviceUnavailable { return "The location service went away; waiting for it." }
        guard let diagnostic else { return nil }
        guard let cause else { return diagnostic.sentence }
        // What resumes by itself says so.
        return diagnostic == .locationUnavailable ? "\(cause.message) Waiting for a fix." : cause.message
    }
}

extension AgentInterface.Kind {
    /// The question to the user about the program that is called `name`.
    public func question(about name: String) -> String {
        switch self {
        case .whenInUse, .always: "May \(name) know where you are?"
        case .upgrade, .confirmAlways: "May \(name) know where you are even when you are not using it?"
        case .temporaryFullAccuracy: "May \(name) know exactly where you are, for now?"
        }
    }
}

extension PromptChoice {
    /// The label of the button.
    public var words: String {
        switch self {
        case .allowWhileUsing: "Allow While Using"
        case .allowOnce: "Allow Once"
        case .dontAllow: "Don’t Allow"
        case .keepWhileUsing: "Keep While Using"
        case .changeToAlways: "Change to Always"
        }
    }
}
