/// A message to publish with QoS 1.
package struct MQTTMessage: Hashable, Sendable {
    package var topic: String
    /// The content; an empty one clears the retained message of the topic.
    package var payload: [UInt8]
    /// True if the broker gives it to later subscribers, until another one takes its place.
    package var isRetained: Bool
    /// The seconds after which the broker drops it; `nil` to keep it.
    package var expiry: UInt32?

    /// A message with these parts.
    package init(topic: String, payload: [UInt8], isRetained: Bool = false, expiry: UInt32? = nil) {
        (self.topic, self.payload, self.isRetained, self.expiry) = (topic, payload, isRetained, expiry)
    }
}

/// The limits that a broker states when it accepts a connection.
package struct MQTTLimits: Hashable, Sendable {
    /// The longest message in bytes, with its topic; `nil` without a limit.
    package var packetSize: UInt32?
    /// The number of messages that it takes before it has acknowledged the first of them.
    package var receiveMaximum: UInt16 = 65_535
    /// True if it keeps retained messages.
    package var retains = true
    /// The greatest quality of service: 0, 1 or 2.
    package var quality: UInt8 = 2

    package init() {}
}

/// The reason why messages were not published, or not read.
package enum MQTTFailure: Error, Hashable, Sendable {
    /// The broker's name cannot be resolved.
    case unresolvable
    /// No connection could be made, in the system's words.
    case unreachable(String)
    /// The broker did not answer within this time.
    case timeout(Duration)
    /// The certificate of the broker is not trusted.
    case untrusted
    /// The broker does not accept the TLS of this connection, in OpenSSL's words.
    case noTLS(String)
    /// The file of authorities, of the certificate or of its key cannot be used.
    case unusableFile(String)
    /// The broker did not accept the connection, with its reason code of MQTT 5.
    case refused(Int)
    /// The broker ended the connection, with its reason code; `nil` without one.
    case closed(Int?)
    /// A message is longer than the broker takes.
    case tooLarge(UInt32)
    /// The broker keeps no retained messages.
    case retainsNothing
    /// The broker acknowledges no messages.
    case acknowledgesNothing
    /// The broker does not accept a subscription, with its reason code.
    case notReadable(Int)
    /// The name leads to no address in a private network, and the connection is not encrypted.
    case notPrivate
    /// The caller cancelled it.
    case cancelled
    /// Another failure, in libmosquitto's words.
    case other(String)
}
