package import LocationModel

/// What the user who runs doctor may expect: whether location services are on, whether somebody asks, and whether this
/// program may know.
package struct UserCheck: Check {
    package enum Authorization: Hashable, Sendable {
        case status(AuthorizationStatus)
        /// Why it is not known, as a sentence.
        case failed(String)
    }

    /// For everybody, and for this user.
    package var isEnabled = true
    package var isEnabledForUser = true
    /// Whether an agent of this user shows prompts.
    package var hasAgent = true
    /// The clients, but for this program, about which this user has not decided.
    package var undecided: Evidence<[String]> = .seen([])
    /// Whether systemd-logind is there to tell which programs are in use.
    package var hasLogind = true
    package var authorization = Authorization.status(.authorizedWhenInUse)

    package init() {}

    package var findings: [Finding] {
        if !isEnabled {
            return [
                .problem(
                    .userEnabled, "location services are off for everybody", remedy: "sudo locationctl on --system")
            ] + agent
        }
        if !isEnabledForUser {
            return [.problem(.userEnabled, "location services are off for you", remedy: "locationctl on")] + agent
        }
        return [.ok(.userEnabled, "location services are on")] + agent + use + [own]
    }

    private var agent: [Finding] {
        if hasAgent { return [.ok(.userAgent, "an agent shows you who asks")] }
        switch undecided {
        case .hidden(let reason): return [.notLookedAt(.userAgent, "who waits for your decision", reason)]
        case .seen(let clients) where clients.isEmpty:
            return [.ok(.userAgent, "no agent is there to ask you, and nobody waits for a decision")]
        case .seen(let clients):
            let names =
                clients.prefix(3).joined(separator: ", ") + (clients.count > 3 ? " and \(clients.count - 3) more" : "")
            return [
                .advice(
                    .userAgent, "no agent is there to ask you about \(names): if they ask, they are refused",
                    remedy: "Keep locationctl agent running in a terminal, or decide now: locationctl allow CLIENT")
            ]
        }
    }

    private var use: [Finding] {
        guard !hasLogind else { return [] }
        return [
            .advice(
                .userUse,
                "systemd-logind is not running, so nothing here can tell which programs are in use: those that are allowed "
                    + "while in use get nothing",
                remedy: "Allow always where that is meant: locationctl allow --always CLIENT")
        ]
    }

    private var own: Finding {
        switch authorization {
        case .status(.authorizedWhenInUse) where !hasLogind:
            .problem(
                .userAuthorization,
                "locationctl may know where you are only while it is in use, and nothing here can tell that",
                remedy: "locationctl allow --always org.locationd.locationctl")
        case .status(.authorizedAlways): .ok(.userAuthorization, "locationctl may always know where you are")
        case .status(.authorizedWhenInUse):
            .ok(.userAuthorization, "locationctl may know where you are while it is in use")
        case .status(.notDetermined):
            .ok(.userAuthorization, "locationctl asks you when it needs your location")
        case .status(.denied):
            .problem(
                .userAuthorization, "locationctl may not know where you are: you decided so",
                remedy: "locationctl get and watch do not work; other programs may. To allow it: locationctl allow "
                    + "org.locationd.locationctl")
        case .status(.restricted):
            .problem(
                .userAuthorization, "locationctl may not know where you are: a policy forbids it",
                remedy: "locationctl get and watch do not work; other programs may. "
                    + "locationctl explain org.locationd.locationctl says which file has it.")
        case .failed(let reason):
            .problem(
                .userAuthorization, "locationctl itself: \(reason)", remedy: "Without that, get and watch do not work.")
        }
    }
}
