package import LocationModel

/// The properties of a message for a broker besides its content.
package struct MessageTerms: Hashable, Sendable {
    /// True for the newest position, which the broker keeps for later readers; false for those that were kept until now.
    package var isNewest: Bool
    /// The end of the share, after which the broker drops the message; `nil` for a share without end.
    package var until: Timestamp?

    /// Terms of a message.
    package init(isNewest: Bool, until: Timestamp? = nil) { (self.isNewest, self.until) = (isNewest, until) }

    /// The seconds for which the broker keeps a message, at least one; `nil` without end.
    ///
    /// - Parameter now: the moment at which it is sent.
    package func expiry(at now: Timestamp) -> UInt32? {
        until.map { UInt32(max(1, min(($0.duration(since: now) / .seconds(1)).rounded(.up), 4e9))) }
    }
}

extension ShareMachine {
    /// The terms of the message that is being sent.
    package var terms: MessageTerms { MessageTerms(isNewest: isSendingNewest, until: share?.until) }
}

/// What is published at a broker: OwnTracks' messages under `owntracks/USER/DEVICE`.
package enum BrokerMessage {
    /// The greatest number of bytes of a position's content.
    package static let longestPosition = 256

    /// The greatest number of bytes of a message to a destination, with its topic and what MQTT adds.
    package static func longest(to destination: Destination) -> Int {
        let position = topic(of: destination).utf8.count + longestPosition
        guard let configuration = HomeAssistantDiscovery.topic("config", of: destination),
            let attributes = HomeAssistantDiscovery.topic("attributes", of: destination)
        else { return position + 16 }
        return 16
            + max(
                position, attributes.utf8.count + longestPosition,
                configuration.utf8.count + HomeAssistantDiscovery.configuration(of: destination).count)
    }

    package static func topic(of destination: Destination) -> String {
        "owntracks/\(destination.user)/\(destination.device)"
    }

    /// The name under which a destination connects. Another connection with it ends this one.
    package static func clientID(of destination: Destination) -> String {
        "locationd-\(destination.user)-\(destination.device)-\(destination.name)"
    }

    /// The content for a position. Its member `_id` is the time of the fix in milliseconds: a reader that gets a message twice, which
    /// happens after a lost connection, drops the second by its topic and `_id`.
    package static func position(_ record: ShareRecord) -> [UInt8] {
        let milliseconds = record.location.timestamp.nanosecondsSince1970 / 1_000_000
        return OwnTracksMessage.body(.positions([record]), id: String(milliseconds, radix: 16))
    }

    /// The content of a message that stores nothing, for a test of the right to publish. It is as long as the longest position.
    package static func test(at time: Timestamp) -> [UInt8] {
        let content = OwnTracksMessage.body(.test(at: time))
        return content + Array(repeating: UInt8(ascii: " "), count: longestPosition - content.count)
    }
}
