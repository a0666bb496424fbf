import Synchronization

/// Hands out one-time codes and keeps the cookie that they are exchanged for.
///
/// A code is good for one exchange. It stands in an address, and addresses end up in histories, logs and the argument lists
/// of processes; the cookie does not.
final class EntryDesk: Sendable {
    /// The first part of every path: what a server of another user on another port would have to know to be sent the cookie,
    /// since browsers tell cookies apart by path but not by port.
    let map = Secret()
    private let cookie = Secret()
    private let codes = Mutex<[Secret]>([])
    /// More that nobody has used are not kept: the oldest is void then.
    static let maximumCodes = 16

    /// A new code.
    func issueCode() -> String {
        let code = Secret()
        codes.withLock { codes in
            if codes.count == Self.maximumCodes { codes.removeFirst() }
            codes.append(code)
        }
        return code.text
    }

    /// Takes a code back. False if it is none, or has been used.
    func redeem(_ code: some StringProtocol) -> Bool {
        codes.withLock { codes in
            guard let index = codes.firstIndex(where: { $0.matches(code) }) else { return false }
            codes.remove(at: index)
            return true
        }
    }

    /// The value of `Set-Cookie` for whoever came with a code.
    var cookieToSet: String { "\(Self.cookieName)=\(cookie.text); Path=/\(map.text)/; HttpOnly; SameSite=Strict" }

    /// Whether the value of a `Cookie` header has the right one.
    func accepts(cookies: String) -> Bool {
        cookies.split(separator: ";").contains { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == Self.cookieName && cookie.matches(parts[1])
        }
    }

    private static let cookieName = "map"
}
