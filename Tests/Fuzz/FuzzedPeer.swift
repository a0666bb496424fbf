import LocationConfiguration
import LocationModel
import LocationPolicy

/// A peer of the daemon; there is one of each kind.
struct FuzzedPeer {
    /// `nil` for a peer that cannot be identified.
    var identity: PeerIdentity?

    /// In the order of their numbers in a script.
    static let all: [FuzzedPeer] = [
        FuzzedPeer("/usr/bin/asks"), FuzzedPeer("/usr/bin/locationctl"), FuzzedPeer("/usr/bin/locationctl", user: 0),
        FuzzedPeer("/usr/bin/preset"), FuzzedPeer("/usr/bin/rough"), FuzzedPeer("/usr/bin/restricted"),
        FuzzedPeer("/usr/bin/undeclared"), FuzzedPeer("/usr/bin/asks", user: 4243), FuzzedPeer(),
    ]

    private init(_ executable: String, user: UInt32 = 4242) {
        var identity = PeerIdentity(userID: user, processID: 77)
        identity.executable = executable
        self.identity = identity
    }

    private init() {}
}

extension Configuration {
    /// The configuration of the daemon; the bits of `variant` change it, as a reload may.
    static func fuzzed(_ variant: UInt8) -> Configuration {
        var clients = [
            declaration("asks") { declaration in
                declaration.whenInUseUsageDescription = "while it is used"
                declaration.alwaysUsageDescription = "always"
                declaration.temporaryFullAccuracyPurposes = ["radar": "for now"]
                declaration.hasLocationBackgroundMode = true
                declaration.isReducedAccuracyDefault = variant & 1 != 0
                if variant & 2 != 0 { declaration.policy.maximumAuthorization = .whenInUse }
            },
            declaration("preset") { $0.policy.presetAuthorization = variant & 4 != 0 ? nil : .always },
            declaration("rough") { declaration in
                declaration.policy.presetAuthorization = .whenInUse
                declaration.policy.maximumAccuracy = .reduced
            },
            declaration("restricted") { $0.policy.isRestricted = variant & 8 == 0 },
        ]
        // Removed, or another client with the same executable, which makes both ambiguous.
        if variant & 16 != 0 { clients.removeFirst() }
        if variant & 32 != 0 { clients.append(declaration("asks", named: "asks.too") { _ in }) }
        var configuration = Configuration(clients: clients)
        configuration.daemon.limits.connectionsPerUser = 8
        configuration.daemon.limits.subscriptionsPerUser = 4
        configuration.daemon.limits.messageSize = 4096
        return configuration
    }

    private static func declaration(
        _ name: String, named other: String? = nil, _ change: (inout ClientDeclaration) -> Void
    ) -> ClientDeclaration {
        var match = ClientMatch()
        match.executable = "/usr/bin/\(name)"
        var declaration = ClientDeclaration(
            identifier: "org.example.\(other ?? name)", match: match, file: "/etc/locationd/clients.d/\(name).plist")
        change(&declaration)
        return declaration
    }
}
