import Synchronization

/// Issues one-time codes, and stores the sessions of the browsers that redeemed one, by cookie.
///
/// A code appears in an address, and so in histories, logs and the argument lists of processes; the cookie does not.
/// Therefore each code is valid for one exchange.
package final class BrowserSessionStore: Sendable {
    /// The first part of every path. Browsers send a cookie to all ports of a host, but only below its path: another
    /// user's server on another port would have to know this part to receive it.
    package let root = Secret()
    private let sessions = Mutex<[BrowserSession]>([])
    private let codes = Mutex<[Secret]>([])
    /// The greatest number of sessions. Beyond it the oldest ends, and its browser needs a new code.
    package static let maximumSessions = 16
    /// The greatest number of unused codes. Beyond it the oldest becomes invalid.
    package static let maximumCodes = 16

    package init() {}

    /// Returns a new code.
    package func issueCode() -> String {
        let code = Secret()
        codes.withLock { codes in
            if codes.count == Self.maximumCodes { codes.removeFirst() }
            codes.append(code)
        }
        return code.text
    }

    /// Redeems a code and begins a session. Returns `nil` if the code is invalid or used.
    package func redeem(_ code: some StringProtocol) -> BrowserSession? {
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

    /// Returns the value of `Set-Cookie` for a browser that redeemed a code.
    package func cookieToSet(for session: BrowserSession) -> String {
        "\(Self.cookieName)=\(session.cookie.text); Path=/\(root.text)/; HttpOnly; SameSite=Strict"
    }

    /// Returns the session in the value of a `Cookie` header.
    package func session(cookies: String) -> BrowserSession? {
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
