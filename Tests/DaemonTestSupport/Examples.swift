package import LocationModel
package import LocationPolicy

extension ClientDeclaration {
    /// The example client, which nobody has decided about.
    package static let undecided: ClientDeclaration = {
        var declaration = ClientDeclaration.example(policy: ClientPolicy())
        declaration.displayName = "Example"
        declaration.whenInUseUsageDescription = "Shows where you are."
        declaration.alwaysUsageDescription = "Warns you of storms."
        return declaration
    }()

    /// The client that `PeerIdentity.example()` is; it may know without being asked.
    package static func example(
        _ identifier: String = "org.example.App", executable: String = "/usr/bin/example",
        policy: ClientPolicy = .preset(.always)
    ) -> ClientDeclaration {
        var match = ClientMatch()
        match.executable = executable
        var declaration = ClientDeclaration(
            identifier: identifier, match: match, file: "/etc/locationd/clients.d/\(identifier).plist")
        declaration.policy = policy
        return declaration
    }
}

extension ClientPolicy {
    package static func preset(
        _ level: Level, upTo maximum: Level = .always, accuracy: AccuracyAuthorization = .full
    ) -> ClientPolicy {
        var policy = ClientPolicy()
        policy.presetAuthorization = level
        policy.maximumAuthorization = maximum
        policy.maximumAccuracy = accuracy
        return policy
    }

    package static var restricted: ClientPolicy {
        var policy = ClientPolicy()
        policy.isRestricted = true
        return policy
    }
}

extension PeerIdentity {
    /// The program that answers for its user.
    package static let agent = example("/usr/bin/locationctl")
    package static let agentOfAnother = example("/usr/bin/locationctl", user: 4343)

    package static func example(_ executable: String? = "/usr/bin/example", user: UInt32 = 4242) -> PeerIdentity {
        var peer = PeerIdentity(userID: user, processID: 77)
        peer.executable = executable
        return peer
    }
}
