import FoundationEssentials
import NIOCore

/// One Server-Sent Event (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
enum WireEvent {
    /// The names of the events.
    enum Name: String {
        case state, map, camera, controls, user, tracking, overlays, views, selected, saved, regions, prompt, notice,
            heartbeat, end
    }

    /// The beginning of a stream, with the delay before a reconnection in milliseconds.
    static let start = ByteBuffer(string: "retry: 500\n\n")
    /// An event that shows that the program responds. Scripts do not receive comments, and no event without data.
    static let heartbeat = ByteBuffer(string: "event: \(Name.heartbeat.rawValue)\ndata: {}\n\n")

    /// Returns the bytes of an event. JSON has no line feeds outside strings, and escapes them inside.
    static func encode(_ name: Name, _ value: some Encodable, revision: Int) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = try encoder.encode(value)
        var buffer = ByteBufferAllocator().buffer(capacity: data.count + 64)
        buffer.writeString("event: \(name.rawValue)\nid: \(revision)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
