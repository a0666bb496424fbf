package import LocationInterface

/// Checks that the service answers, and that it has the release of this program.
package struct ServiceCheck: Check {
    package enum Answer: Hashable, Sendable {
        case status(ManagerInterface.GetServiceStatus.Reply)
        /// No answer, with the reason as a sentence.
        case failed(String)
    }

    package var path: String
    package var answer: Answer
    package var isSystem: Bool
    /// The release of this program.
    package var ownVersion: String

    package init(path: String, answer: Answer, isSystem: Bool, ownVersion: String = serviceVersion) {
        self.path = path
        self.answer = answer
        self.isSystem = isSystem
        self.ownVersion = ownVersion
    }

    package var findings: [Finding] {
        switch answer {
        case .failed(let reason):
            .problem(
                .serviceAnswer, "locationd does not answer at \(path): \(reason)",
                remedy: isSystem
                    ? "Solve the problems above. Then run: \(ServiceExit.restart)"
                    : "Start it, or give --socket PATH.")
        case .status(let status) where status.version != ownVersion:
            .advice(
                .serviceAnswer,
                "locationd \(status.version) answers at \(path), but this is locationctl \(ownVersion)",
                remedy: "After an upgrade, run: sudo systemctl restart locationd.service")
        case .status(let status): [.ok(.serviceAnswer, "locationd \(status.version) answers at \(path)")]
        }
    }
}
