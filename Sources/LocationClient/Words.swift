public import LocationInterface
public import LocationModel

// What programs say to a person of what the service says to them.

extension LocationDiagnostic {
    /// What it means to a person.
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
    /// What stands in the way of a location, for a person; `nil` when nothing does.
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
    /// What the button says.
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
