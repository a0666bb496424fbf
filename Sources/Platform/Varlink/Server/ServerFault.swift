/// The reason for an error reply of the server itself.
///
/// This module has the error names of `org.varlink.service` only; ``VarlinkService/error(for:)`` can give better ones.
public enum ServerFault: Sendable, Equatable {
    /// The peer sent a message of more than `limit` bytes. The connection is closed after the error.
    case messageTooLong(limit: Int)
    /// The connections of the peer's ``ByteAccount`` hold more than `limit` bytes. The connection is closed after the
    /// error.
    case tooManyBytes(limit: Int)
    /// The program released a call to `method` without answering it.
    case callDropped(method: String)
    /// The program's answer to `method` cannot be expressed in JSON.
    case replyNotEncodable(method: String)
}
