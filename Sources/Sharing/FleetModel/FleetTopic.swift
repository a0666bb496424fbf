/// The topic of a vehicle at a broker, `owntracks/USER/DEVICE`, and what follows it in those of its other messages.
package struct FleetTopic: Hashable, Sendable {
    /// The topics that are subscribed to: the positions, and the names that vehicles give themselves.
    package static let filters = ["owntracks/+/+", "owntracks/+/+/info"]
    /// The longest topic of a vehicle, in bytes.
    package static let longest = 200

    /// The topic of the vehicle's positions, which identifies it.
    package let vehicle: String
    /// The last level of another message, such as `info`; `nil` for the topic of the positions.
    package let kind: String?

    /// Reads a topic; `nil` if it is not one of a vehicle's.
    package init?(_ topic: String) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 3 || levels.count == 4, levels[0] == "owntracks", !levels.contains("") else { return nil }
        vehicle = levels[..<3].joined(separator: "/")
        guard vehicle.utf8.count <= Self.longest else { return nil }
        kind = levels.count == 4 ? String(levels[3]) : nil
    }
}
