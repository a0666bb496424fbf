public import LocationModel

/// What one client may have of one user's location.
public struct Authorization: Hashable, Sendable {
    /// Whether it may know.
    public var status: AuthorizationStatus
    /// How exactly.
    public var accuracy: AccuracyAuthorization

    /// An authorization with this status and accuracy.
    public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization) {
        self.status = status
        self.accuracy = accuracy
    }

    /// What follows from it at this moment.
    public var access: Access {
        switch (status, accuracy) {
        case (.notDetermined, _), (.restricted, _), (.denied, _): .refused
        // Whether a client is in use takes evidence, and there is none yet: in doubt it is not.
        case (.authorizedWhenInUse, _): .suspended
        case (.authorizedAlways, .full): .permitted
        // Until there is a rougher location to give, a client that may not have the exact one gets none.
        case (.authorizedAlways, .reduced): .withheld
        }
    }
}

/// Whether a location may go to a client at this moment.
public enum Access: Hashable, Sendable {
    /// It may.
    case permitted
    /// Not while the client is not in use.
    case suspended
    /// Not the exact one.
    case withheld
    /// Not at all.
    case refused
}

extension ClientDeclaration {
    /// What the client may have without anybody's decision: its preset, within what the policy allows.
    public var presetAuthorization: Authorization {
        let status: AuthorizationStatus =
            if policy.isRestricted {
                .restricted
            } else if let preset = policy.presetAuthorization {
                min(preset, policy.maximumAuthorization).status
            } else {
                .notDetermined
            }
        let accuracy: AccuracyAuthorization =
            policy.maximumAccuracy == .reduced || isReducedAccuracyDefault ? .reduced : .full
        return Authorization(status: status, accuracy: accuracy)
    }
}
