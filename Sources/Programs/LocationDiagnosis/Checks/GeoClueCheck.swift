/// Checks that programs that ask GeoClue, `org.freedesktop.GeoClue2` on the system bus, ask locationd.
package struct GeoClueCheck: Check {
    /// The owner of the name.
    package enum Owner: Hashable, Sendable {
        case nobody
        case locationd
        /// Another service: its unit or, without one, its process.
        case other(String)
    }

    package var owner: Evidence<Owner>
    /// True if locationd is configured to answer.
    package var isEnabled = true
    /// True if the bus starts locationd for programs that ask, not GeoClue or nothing.
    package var isStartedByBus = true
    /// True if the machine has a source of locations.
    package var hasSource = true
    /// True if GeoClue itself is there, to answer in the service's place.
    package var isGeoClueInstalled = true
    /// The reason why the service does not answer, as it reports it; `nil` if it answers or does not run.
    package var problem: String?

    package init(owner: Evidence<Owner>) {
        self.owner = owner
    }

    package var findings: [Finding] {
        switch owner {
        case .hidden(let reason): [.notChecked(.geoClueName, "the owner of GeoClue's name on the bus", reason)]
        case .seen(let owner): [isEnabled ? finding(of: owner) : findingWhereDisabled(owner)]
        }
    }

    private func finding(of owner: Owner) -> Finding {
        let enable = "To fix it, run: sudo locationctl geoclue on"
        let isBehind = "locationd waits behind it for the name"
        if case .other = owner {
        } else if let problem {
            return .problem(
                .geoClueName, "locationd reports: \(problem)",
                remedy: "Have the bus read its policy again: sudo systemctl reload dbus.service && "
                    + "sudo systemctl reload locationd.service")
        }
        if isStartedByBus, !hasSource, isGeoClueInstalled {
            return .advice(
                .geoClueName, "programs that ask GeoClue ask locationd, which has no source of locations",
                remedy: "To leave them to GeoClue until it has one, run: \(undoing)")
        }
        return switch owner {
        case .locationd where isStartedByBus:
            .ok(.geoClueName, "programs that ask GeoClue ask locationd; to give GeoClue its name back: \(undoing)")
        case .nobody where isStartedByBus:
            .ok(.geoClueName, "programs that ask GeoClue start locationd; to give GeoClue its name back: \(undoing)")
        case .locationd:
            .advice(
                .geoClueName, "programs that ask GeoClue ask locationd, but while it does not run they start GeoClue",
                remedy: "\(enable)\nTo give GeoClue its name back, run: \(undoing)")
        case .nobody:
            .advice(.geoClueName, "programs that ask GeoClue do not start locationd", remedy: enable)
        case .other(let name) where isStartedByBus:
            .advice(
                .geoClueName, "\(name) answers programs that ask GeoClue; \(isBehind)",
                remedy: "GeoClue ends when nobody has asked it for a minute.", subject: name)
        case .other(let name):
            .advice(
                .geoClueName, "\(name) answers programs that ask GeoClue; \(isBehind)",
                remedy: "To have them ask locationd, run: sudo locationctl geoclue on",
                subject: name)
        }
    }

    private func findingWhereDisabled(_ owner: Owner) -> Finding {
        guard isStartedByBus else {
            return .ok(
                .geoClueName,
                "programs that ask GeoClue do not ask locationd"
                    + (hasSource
                        ? "; to change that: sudo locationctl geoclue on" : ", which has no source of locations"))
        }
        return .problem(
            .geoClueName, "the bus starts locationd for programs that ask GeoClue, but locationd does not answer them",
            remedy:
                "To leave them to GeoClue, run: sudo locationctl geoclue off\nTo answer them: sudo locationctl geoclue on"
        )
    }

    private var undoing: String { "sudo locationctl geoclue off" }
}
