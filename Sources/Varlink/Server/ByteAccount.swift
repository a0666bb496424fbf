import NIOCore

/// What a group of connections, such as all those of one user, has the process hold: bytes of messages that have come and
/// are not answered, and of replies that are not read.
///
/// Each connection has limits of its own, but those of thousands add up. A connection that makes the sum larger than the
/// limit is ended, so a group is over it by no more than one read or one reply.
///
/// `@unchecked Sendable` because it is confined to the event loop of its connections.
public final class ByteAccount: @unchecked Sendable {
    /// How many bytes the group may have held. Event loop only.
    public var limit: Int
    /// How many it has.
    private(set) var balance = 0

    /// An account of which nothing is used.
    public init(limit: Int) {
        self.limit = limit
    }

    var isOverdrawn: Bool { balance > limit }

    /// The share of one connection, which takes it back when it is gone.
    struct Share {
        let account: ByteAccount
        private var bytes = 0
        private var hasGrown = false

        init(of account: ByteAccount) {
            self.account = account
        }

        var limit: Int { account.limit }

        /// Sets what the connection has held now.
        mutating func set(_ bytes: Int) {
            if bytes > self.bytes { hasGrown = true }
            account.balance += bytes - self.bytes
            self.bytes = bytes
        }

        /// Whether it is too much for the account, and has become more since this was last asked.
        mutating func isToBlame() -> Bool {
            defer { hasGrown = false }
            return hasGrown && account.isOverdrawn
        }
    }
}
