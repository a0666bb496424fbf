import NIOCore

/// A reply whose only parameter is a list, encoded one element at a time, so that a long list need not block an event loop.
public struct EncodedList {
    private var buffer: ByteBuffer
    private var isEmpty = true
    /// The first error of an element: the reply cannot be sent.
    private(set) var failure: (any Error)?

    /// An empty list.
    ///
    /// - Parameter name: the parameter; letters only.
    public init(_ name: StaticString) {
        buffer = ByteBuffer(string: #"{"parameters":{"\#(name)":["#)
    }

    /// Adds an element.
    public mutating func add(_ element: some Encodable) {
        do {
            let bytes = try MessageEncoder.encode(element)
            if !isEmpty { buffer.writeString(",") }
            isEmpty = false
            buffer.writeBytes(bytes)
        } catch {
            failure = failure ?? error
        }
    }

    /// The last reply to a call.
    var reply: EncodedReply {
        var whole = buffer
        whole.writeString("]}}\0")
        return EncodedReply(whole)
    }
}
