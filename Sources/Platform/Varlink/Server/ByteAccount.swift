/// Limits the memory held for a group of connections, such as those of one user: unanswered messages and unread
/// replies.
///
/// Each connection has limits of its own, but those of thousands add up. A connection that takes the sum above the
/// limit is closed, so a group exceeds it by at most one read or one reply.
///
/// `@unchecked Sendable` because it is confined to the event loop of its connections.
public final class ByteAccount: @unchecked Sendable {
    /// The limit in bytes. Event loop only.
    public var limit: Int
    /// The bytes held now.
    private(set) var balance = 0

    /// An account with a balance of 0.
    public init(limit: Int) {
        self.limit = limit
    }

    var isOverdrawn: Bool { balance > limit }

    /// The share of one connection, which is returned when the connection ends.
    struct Share {
        let account: ByteAccount
        private var bytes = 0
        private var hasGrown = false

        init(of account: ByteAccount) {
            self.account = account
        }

        var limit: Int { account.limit }

        /// Sets the bytes that the connection holds now.
        mutating func set(_ bytes: Int) {
            if bytes > self.bytes { hasGrown = true }
            account.balance += bytes - self.bytes
            self.bytes = bytes
        }

        /// True if the account is overdrawn and this share has grown since the last call.
        mutating func checkOverdraft() -> Bool {
            defer { hasGrown = false }
            return hasGrown && account.isOverdrawn
        }
    }
}
