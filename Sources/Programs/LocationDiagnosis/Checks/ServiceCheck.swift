package import LocationInterface

/// Checks that the service answers, and that it has the release of this program.
package struct ServiceCheck: Check {
    package var path: String
    /// The service's status, or the reason for having none, as a sentence.
    package var answer: Evidence<ManagerInterface.GetServiceStatus.Reply>
    package var isSystem: Bool
    /// The release of this program.
    package var ownVersion: String

    package init(
        path: String, answer: Evidence<ManagerInterface.GetServiceStatus.Reply>, isSystem: Bool,
        ownVersion: String = serviceVersion
    ) {
        self.path = path
        self.answer = answer
        self.isSystem = isSystem
        self.ownVersion = ownVersion
    }

    package var findings: [Finding] {
        switch answer {
        case .hidden(let reason):
            .problem(
                .serviceAnswer, "locationd does not answer at \(path): \(reason)",
                remedy: isSystem
                    ? "Solve the problems above. Then run: \(ServiceExit.restart)"
                    : "Start it, or give --socket PATH.")
        case .seen(let status) where status.version != ownVersion:
            .advice(
                .serviceAnswer,
                "locationd \(status.version) answers at \(path), but this is locationctl \(ownVersion)",
                remedy: "After an upgrade, run: sudo systemctl restart locationd.service")
        case .seen(let status): [.ok(.serviceAnswer, "locationd \(status.version) answers at \(path)")]
        }
    }
}
