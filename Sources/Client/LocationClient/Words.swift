public import LocationModel

// The service's diagnostics and prompts as texts for people.

extension LocationDiagnostic {
    /// A sentence for people.
    public var sentence: String {
        switch self {
        case .authorizationRequestInProgress: "You are being asked to allow this program to use your location."
        case .authorizationDenied: "This program is not allowed to use your location."
        case .authorizationRestricted: "A policy of this machine does not allow this program to use your location."
        case .insufficientlyInUse: "This program may use your location only while it is in use."
        case .accuracyLimited: "This program receives only your approximate location."
        case .stationary: "You are not moving. Updates resume when you move."
        case .locationUnavailable: "There is no location for this program now. Waiting for one."
        case .unknown: "There is no exact location for this program now. To learn why, update it."
        }
    }
}

extension ServiceUpdate {
    /// A sentence for people about the missing or reduced location; `nil` if there is none.
    public var sentence: String? {
        if serviceUnavailable { return "The location service is not available. Reconnecting." }
        guard let diagnostic else { return nil }
        guard let cause else { return diagnostic.sentence }
        // A cause that resolves itself is followed by the awaited event; a command stays at the end.
        let endsWithCommand = !cause.message.hasSuffix(".") && !cause.message.hasSuffix("?")
        return diagnostic == .locationUnavailable && !endsWithCommand
            ? "\(cause.message) Waiting for a fix." : cause.message
    }
}
