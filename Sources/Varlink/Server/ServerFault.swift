/// Why the server itself answers a call with an error.
///
/// This module knows no error names but those of `org.varlink.service`; ``VarlinkService/error(for:)`` gives better ones.
public enum ServerFault: Sendable, Equatable {
    /// The peer sent a message of more than `limit` bytes. The connection is closed after the error.
    case messageTooLong(limit: Int)
    /// The connections of the peer's ``ByteAccount`` have more than `limit` bytes held. The connection is closed after the
    /// error.
    case tooManyBytes(limit: Int)
    /// The program let go of a call to `method` without having answered it.
    case callDropped(method: String)
    /// The program's answer to `method` cannot be expressed in JSON.
    case replyNotEncodable(method: String)
}
