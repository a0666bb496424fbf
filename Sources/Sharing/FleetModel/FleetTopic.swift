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
        // Levels end at a byte, as for a broker.
        let text = topic.utf8
        let separators = text.indices.filter { text[$0] == UInt8(ascii: "/") }
        guard (2...3).contains(separators.count), text.starts(with: "owntracks/".utf8) else { return nil }
        let end = separators.count == 3 ? separators[2] : text.endIndex
        let isWhole = zip(separators, separators.dropFirst() + [text.endIndex]).allSatisfy {
            text.index(after: $0) < $1
        }
        guard isWhole, text.distance(from: text.startIndex, to: end) <= Self.longest else { return nil }
        vehicle = String(topic[..<end])
        kind = end == text.endIndex ? nil : String(topic[text.index(after: end)...])
    }
}
