import Synchronization

/// Hands out one-time codes and knows the browsers that have come with one, by the cookies that these were exchanged for.
///
/// A code is good for one exchange. It stands in an address, and addresses end up in histories, logs and the argument lists
/// of processes; the cookie does not.
final class BrowserSessionStore: Sendable {
    /// The first part of every path: what a server of another user on another port would have to know to be sent the cookie,
    /// since browsers tell cookies apart by path but not by port.
    let map = Secret()
    private let sessions = Mutex<[BrowserSession]>([])
    private let codes = Mutex<[Secret]>([])
    /// More browsers than this are not known: the oldest has to come with a new code then.
    static let maximumSessions = 16
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

    /// Takes a code back and begins a session. `nil` if it is none, or has been used.
    func redeem(_ code: some StringProtocol) -> BrowserSession? {
        let isKnown = codes.withLock { codes in
            guard let index = codes.firstIndex(where: { $0.matches(code) }) else { return false }
            codes.remove(at: index)
            return true
        }
        guard isKnown else { return nil }
        let session = BrowserSession()
        sessions.withLock { sessions in
            if sessions.count == Self.maximumSessions { sessions.removeFirst() }
            sessions.append(session)
        }
        return session
    }

    /// The value of `Set-Cookie` for a browser that came with a code.
    func cookieToSet(for session: BrowserSession) -> String {
        "\(Self.cookieName)=\(session.cookie.text); Path=/\(map.text)/; HttpOnly; SameSite=Strict"
    }

    /// The browser that the value of a `Cookie` header is of.
    func session(cookies: String) -> BrowserSession? {
        let values = cookies.split(separator: ";").compactMap { pair -> Substring? in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == Self.cookieName ? parts[1] : nil
        }
        return sessions.withLock { sessions in
            sessions.first { session in values.contains { session.cookie.matches($0) } }
        }
    }

    private static let cookieName = "map"
}
