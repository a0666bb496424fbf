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
    /// The reason why the service does not answer, as it reports it; `nil` if it answers or does not run.
    package var problem: String?
    package var configurationFile: String

    package init(owner: Evidence<Owner>, configurationFile: String) {
        (self.owner, self.configurationFile) = (owner, configurationFile)
    }

    package var findings: [Finding] {
        switch owner {
        case .hidden(let reason): [.notChecked(.geoClueName, "the owner of GeoClue's name on the bus", reason)]
        case .seen(let owner): [isEnabled ? finding(of: owner) : findingWhereDisabled(owner)]
        }
    }

    private func finding(of owner: Owner) -> Finding {
        let enable = "sudo systemctl enable locationd.service"
        let isBehind = "locationd waits behind it for the name"
        if case .other = owner {
        } else if let problem {
            return .problem(
                .geoClueName, "locationd reports: \(problem)",
                remedy: "Have the bus read its policy again: sudo systemctl reload dbus.service && "
                    + "sudo systemctl reload locationd.service")
        }
        return switch owner {
        case .locationd where isStartedByBus:
            .ok(.geoClueName, "programs that ask GeoClue ask locationd; to give GeoClue its name back: \(undoing)")
        case .nobody where isStartedByBus:
            .ok(.geoClueName, "programs that ask GeoClue start locationd; to give GeoClue its name back: \(undoing)")
        case .locationd:
            .advice(
                .geoClueName, "programs that ask GeoClue ask locationd, but while it does not run they start GeoClue",
                remedy: "\(enable), or to give GeoClue its name back: \(undoing)")
        case .nobody:
            .advice(.geoClueName, "programs that ask GeoClue do not start locationd", remedy: enable)
        case .other(let name) where isStartedByBus:
            .advice(
                .geoClueName, "\(name) answers programs that ask GeoClue; \(isBehind)",
                remedy: "GeoClue ends when nobody has asked it for a minute.", subject: name)
        case .other(let name):
            .advice(
                .geoClueName, "\(name) answers programs that ask GeoClue; \(isBehind)",
                remedy: "sudo systemctl stop \(name) && \(enable) makes locationd the one that is started.",
                subject: name)
        }
    }

    private func findingWhereDisabled(_ owner: Owner) -> Finding {
        guard isStartedByBus else {
            return .ok(.geoClueName, "programs that ask GeoClue do not ask locationd, as \(configurationFile) says")
        }
        return .problem(
            .geoClueName, "the bus starts locationd for programs that ask GeoClue, but locationd does not answer them",
            remedy: "sudo systemctl disable locationd.service, or remove GeoClue.Enabled in \(configurationFile).")
    }

    private var undoing: String {
        "GeoClue.Enabled = false in \(configurationFile), then sudo systemctl disable locationd.service"
    }
}
