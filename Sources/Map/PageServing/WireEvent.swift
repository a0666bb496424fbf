import FoundationEssentials
package import NIOCore

/// One Server-Sent Event (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
package enum WireEvent {
    /// The name of an event. Each page has some of its own.
    package struct Name: Hashable, Sendable {
        /// The name as it is sent: a word.
        package let rawValue: String

        package init(_ rawValue: String) { self.rawValue = rawValue }

        /// The whole state, for a page that is new or has fallen behind.
        package static let state = Name("state")
        /// A sign that the program responds.
        package static let heartbeat = Name("heartbeat")
        /// The end of the server.
        package static let end = Name("end")
    }

    /// The beginning of a stream, with the delay before a reconnection in milliseconds.
    static let start = ByteBuffer(string: "retry: 500\n\n")
    /// An event that shows that the program responds. Scripts do not receive comments, and no event without data.
    static let heartbeat = ByteBuffer(string: "event: \(Name.heartbeat.rawValue)\ndata: {}\n\n")

    /// Returns the bytes of an event. JSON has no line feeds outside strings, and escapes them inside.
    package static func encode(_ name: Name, _ value: some Encodable, revision: Int) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encode(name, json: ByteBuffer(bytes: try encoder.encode(value)), revision: revision)
    }

    /// Returns the bytes of an event with JSON without line feeds.
    package static func encode(_ name: Name, json: ByteBuffer, revision: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: json.readableBytes + 64)
        buffer.writeString("event: \(name.rawValue)\nid: \(revision)\ndata: ")
        buffer.writeImmutableBuffer(json)
        buffer.writeString("\n\n")
        return buffer
    }
}
