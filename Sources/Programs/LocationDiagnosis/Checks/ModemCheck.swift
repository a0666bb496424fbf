/// Checks that the receivers of modems can be used, through ModemManager.
package struct ModemCheck: Check {
    /// The modems, as ModemManager shows them to every program.
    package struct Modems: Hashable, Sendable {
        /// True if one of them has a receiver that ModemManager can read.
        package var hasReceiver: Bool
        /// True if another program has it show the location to every user.
        package var isShown: Bool
    }

    /// The modems of ModemManager; `nil` if it is not running.
    package var modems: Evidence<Modems?>
    /// True if the service is configured to use them.
    package var isEnabled: Bool
    /// True if polkit's rule is in force; `nil` if that cannot be seen.
    package var hasRule: Bool?
    /// The service's error about the modems, as a sentence; `nil` without one.
    package var problem: String?

    private static let enable = "sudo locationctl sources enable modem"

    package var findings: [Finding] {
        var findings = [isEnabled ? findingWhereEnabled : findingWhereDisabled]
        if case .seen(let modems?) = modems, modems.isShown {
            findings.append(
                .advice(
                    .modemSignals, "another program has ModemManager show the modem's location to every user",
                    remedy: "sudo mmcli -m any --location-set-disable-signal"))
        }
        return findings
    }

    private var findingWhereDisabled: Finding {
        guard case .seen(let modems?) = modems, modems.hasReceiver else {
            return .ok(.modemReceiver, "the receivers of modems are not used")
        }
        return .advice(.modemReceiver, "the modem has a receiver that is not used", remedy: "To use it: \(Self.enable)")
    }

    private var findingWhereEnabled: Finding {
        if hasRule == false {
            return .problem(
                .modemReceiver, "polkit does not let the service use the modem's receiver", remedy: Self.enable)
        }
        switch modems {
        case .hidden(let reason): return .notChecked(.modemReceiver, "the modem's receiver", reason)
        case .seen(nil):
            return .problem(
                .modemReceiver, "ModemManager is not running", remedy: "sudo systemctl enable --now ModemManager")
        case .seen(let modems?) where !modems.hasReceiver:
            return .problem(
                .modemReceiver, "ModemManager has no modem with a receiver that it can read",
                remedy: "Plug one in, or: sudo locationctl sources disable modem")
        case .seen: break
        }
        guard let problem else { return .ok(.modemReceiver, "the modem's receiver is used while a location is needed") }
        return .reported(problem, .modemReceiver, otherwise: "Read ModemManager's log: journalctl -u ModemManager")
    }
}
