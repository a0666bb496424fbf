/// Whether programs that ask GeoClue, `org.freedesktop.GeoClue2` on the system's bus, ask locationd.
package struct GeoClueCheck: Check {
    /// Who has the name.
    package enum Owner: Hashable, Sendable {
        case nobody
        case locationd
        /// Another's unit or, outside of any, its process.
        case other(String)
    }

    package var owner: Evidence<Owner>
    /// Whether locationd is to answer, as its property list says.
    package var isEnabled = true
    /// Whether the bus starts locationd, rather than GeoClue or nothing, for programs that ask.
    package var isStartedByBus = true
    package var configurationFile: String

    package init(owner: Evidence<Owner>, configurationFile: String) {
        (self.owner, self.configurationFile) = (owner, configurationFile)
    }

    package var findings: [Finding] {
        switch owner {
        case .hidden(let reason): [.notLookedAt(.geoClueName, "who answers programs that ask GeoClue", reason)]
        case .seen(let owner): [isEnabled ? finding(of: owner) : findingWhereDisabled(owner)]
        }
    }

    private func finding(of owner: Owner) -> Finding {
        let enable = "sudo systemctl enable locationd.service"
        let isBehind = "locationd waits behind it for the name"
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
                remedy: "\(enable) makes locationd the one that is started.", subject: name)
        }
    }

    private func findingWhereDisabled(_ owner: Owner) -> Finding {
        guard isStartedByBus else {
            return .ok(.geoClueName, "programs that ask GeoClue do not ask locationd, as \(configurationFile) says")
        }
        return .problem(
            .geoClueName, "the bus starts locationd for programs that ask GeoClue, which it does not answer",
            remedy: "sudo systemctl disable locationd.service, or remove GeoClue.Enabled in \(configurationFile).")
    }

    private var undoing: String {
        "GeoClue.Enabled = false in \(configurationFile), then sudo systemctl disable locationd.service"
    }
}
