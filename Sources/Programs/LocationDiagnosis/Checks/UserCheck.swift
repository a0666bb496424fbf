package import LocationModel

/// Checks the settings of the user who runs doctor: location services, the agent, and the authorization of this program.
package struct UserCheck: Check {
    /// True if location services are on for the machine.
    package var isEnabled = true
    /// True if they are off for the machine because the decisions were lost to damage.
    package var isOffAfterDamage = false
    /// True if location services are on for this user.
    package var isEnabledForUser = true
    /// True if an agent shows prompts to this user.
    package var hasAgent = true
    /// The clients about which this user has not decided, without this program.
    package var undecided: Evidence<[String]> = .seen([])
    /// True if systemd-logind runs, by which programs count as in use.
    package var hasLogind = true
    /// The authorization of this program, or the reason why it is not known, as a sentence.
    package var authorization: Evidence<AuthorizationStatus> = .seen(.authorizedWhenInUse)

    /// The user's unit that starts units at geofences; `nil` if it is not enabled.
    package var geofenceUnit: UnitState?
    /// The rule that withholds the location from this program now; `nil` for none.
    package var withholding: Withholding?

    /// A rule that withholds the location.
    package struct Withholding: Hashable, Sendable {
        package var rule: String
        package var remedy: String

        /// - Parameters:
        ///   - rule: the rule and what it does, as a clause.
        ///   - remedy: the commands that show and end it.
        package init(rule: String, remedy: String) { (self.rule, self.remedy) = (rule, remedy) }
    }

    package init() {}

    package var findings: [Finding] {
        if !isEnabled {
            let reason = isOffAfterDamage ? ", because the decisions were lost" : ""
            return [
                .problem(
                    .userEnabled, "location services are off for this machine\(reason)",
                    remedy: "To switch them on, run: sudo locationctl on --system")
            ] + agent
        }
        if !isEnabledForUser {
            return [
                .problem(
                    .userEnabled, "location services are off for you", remedy: "To switch them on, run: locationctl on")
            ] + agent
        }
        return [.ok(.userEnabled, "location services are on")] + agent + use + geofences + [own]
    }

    private var agent: [Finding] {
        if hasAgent { return [.ok(.userAgent, "an agent shows you the prompts of programs")] }
        switch undecided {
        case .hidden(let reason):
            return [.notChecked(.userAgent, "the programs that you have not decided about", reason)]
        case .seen(let clients) where clients.isEmpty:
            return [.ok(.userAgent, "no agent runs, and no program waits for your decision")]
        case .seen(let clients):
            let names =
                clients.prefix(3).joined(separator: ", ") + (clients.count > 3 ? " and \(clients.count - 3) more" : "")
            return .advice(
                .userAgent, "no agent runs to prompt you about \(names): their requests fail",
                remedy:
                    "To answer prompts in a terminal, run: locationctl agent\nTo decide now, run: locationctl allow CLIENT"
            )
        }
    }

    private var use: [Finding] {
        guard !hasLogind else { return [] }
        return .advice(
            .userUse,
            "systemd-logind is not running, so it is not known which programs are in use: those that are allowed only "
                + "while in use receive no location",
            remedy: "To allow a program at any time, run: locationctl allow --always CLIENT")
    }

    private var geofences: [Finding] {
        guard let geofenceUnit, geofenceUnit.isEnabled else { return [] }
        let name = geofenceUnit.name
        guard !geofenceUnit.isActive else {
            return [.ok(.userGeofences, "\(name) runs: it starts the units of your geofences", subject: name)]
        }
        let reason = geofenceUnit.activeState == "failed" ? "has ended with \(geofenceUnit.exitStatus)" : "does not run"
        return .problem(
            .userGeofences, "\(name) \(reason): no unit is started when you enter a geofence",
            remedy: "To start it, run: systemctl --user restart \(name)\n"
                + "To see why it ended, run: journalctl --user --unit=\(name)",
            subject: name)
    }

    private var own: Finding {
        switch authorization {
        case .seen(.authorizedWhenInUse) where !hasLogind:
            .problem(
                .userAuthorization,
                "locationctl may use your location only while it is in use, which cannot be determined here",
                remedy: "To allow it at any time, run: locationctl allow --always org.locationd.locationctl")
        case .seen(.authorizedAlways): authorized("locationctl may use your location at any time")
        case .seen(.authorizedWhenInUse): authorized("locationctl may use your location while it is in use")
        case .seen(.notDetermined):
            .ok(.userAuthorization, "locationctl prompts you when it needs your location")
        case .seen(.denied):
            .problem(
                .userAuthorization, "locationctl may not use your location: you have denied it",
                remedy: "To allow it, run: locationctl allow org.locationd.locationctl")
        case .seen(.restricted):
            .problem(
                .userAuthorization, "locationctl may not use your location: a policy forbids it",
                remedy: "To see the file with the policy, run: locationctl explain org.locationd.locationctl")
        case .hidden(let reason):
            .problem(
                .userAuthorization, "locationctl receives no location: \(reason)",
                remedy: "Solve that problem first.")
        }
    }

    /// The finding for a user who authorizes locationctl: that, or the rule that withholds the location now.
    private func authorized(_ text: String) -> Finding {
        withholding.map { .advice(.userAuthorization, $0.rule, remedy: $0.remedy) } ?? .ok(.userAuthorization, text)
    }
}
