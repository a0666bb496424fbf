import FoundationEssentials
import HTTPTypes
package import Hummingbird
package import NIOCore
import ServiceLifecycle

/// The purpose of a request to a page's server, by its method and path.
package protocol PageRoute: Sendable {
    /// Creates the route for the parts of a path below the first one; `nil` if there is none, or none for the method.
    init?(method: String, parts: [String])
    /// The kind of request for the browser's rate limits.
    var cost: BrowserSession.Kind { get }
}

/// Admits the requests of a page, and no others.
///
/// Every request that is not from the page itself, with its cookie, gets the same response: 404 without a body, as from
/// an empty server. If the user opens any address of it, the body is a page that says how to get a new address: one and
/// the same for used, expired and invented ones.
package struct PageGate: Sendable {
    private let sessions: BrowserSessionStore
    package let files: PageFiles
    /// The file with the page for an address that opens nothing.
    private let newAddress: String
    /// The content security policy: what the page may load, and who may show it.
    private let policy: String

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - newAddress: The file with the page for an address that opens nothing.
    ///   - framing: Whether the page shows another one of its server in a frame, or is shown so.
    package init(sessions: BrowserSessionStore, files: PageFiles, newAddress: String, framing: PageFraming = .none) {
        (self.sessions, self.files, self.newAddress) = (sessions, files, newAddress)
        policy = Self.policy + framing.policy
    }

    /// Responds to a request: with `answer` if it is admitted.
    package func respond<Route: PageRoute>(
        to request: Request, _ answer: (Route, BrowserSession) async throws -> Response
    ) async throws -> Response {
        guard let (route, session) = admit(request) as (Route?, BrowserSession)? else {
            return isOpenedByUser(request)
                ? try await newAddressPage(request.headers[.acceptLanguage]) : Response(status: .notFound)
        }
        var response: Response
        if !session.may(route?.cost ?? .read) {
            response = Response(status: .tooManyRequests, headers: [.retryAfter: "1"])
        } else if let route {
            do {
                response = try await answer(route, session)
            } catch let refusal as RefusedPost {
                response = refusal.response
            }
        } else {
            response = enter(session, request)
        }
        protect(&response)
        return response
    }

    /// Returns the response with a file of the page.
    package func file(_ name: String, _ request: Request) async throws -> Response {
        try await FileWork.tiles.run { [files, headers = request.headers] in files.response(name, headers: headers) }
            ?? Response(status: .notFound)
    }

    // MARK: Admission

    /// Returns the route of a request, which is `nil` for the exchange of a one-time code for the cookie, and the session of its
    /// browser; `nil` if the request is refused.
    private func admit<Route: PageRoute>(_ request: Request) -> (Route?, BrowserSession)? {
        // Refuses a foreign host name that resolves to this machine (DNS rebinding).
        guard let host = request.head.authority, isLoopback(host) else { return nil }
        // Refuses another page in the same browser that knows the address.
        if let origin = request.headers[.origin] {
            guard origin == "http://\(host)" else { return nil }
        } else if request.method != .get {
            return nil
        }
        if let site = request.headers[.fetchSite], site != "same-origin", site != "none" { return nil }
        guard let parts = parts(of: request.uri.string.prefix { $0 != "?" }) else { return nil }
        let code = request.method == .get && parts.count == 2 && parts[0] == "enter" ? parts[1] : nil
        let route = Route(method: request.method.rawValue, parts: parts)
        guard code != nil || route != nil else { return nil }
        // A browser with a session keeps it: the code may be opened in a second tab by mistake.
        if let session = request.headers[values: .cookie].lazy.compactMap({ sessions.session(cookies: $0) }).first {
            return (route, session)
        }
        guard let code, let session = sessions.redeem(code) else { return nil }
        return (route, session)
    }

    /// Returns the parts of a path below that of this server, which have only the characters of file and source names, so that nothing
    /// needs decoding and `..` is refused; `nil` for any other path.
    private func parts(of path: Substring) -> [String]? {
        guard path.utf8.count <= 512 else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].isEmpty, sessions.root.matches(parts[1]) else { return nil }
        let rest = parts.dropFirst(2).map(String.init)
        return rest.allSatisfy(Self.isPlain) ? rest : nil
    }

    private static func isPlain(_ part: String) -> Bool {
        part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// True for this machine by a name that no other server can have. Its port is another one where the user has the page
    /// forwarded, as by `ssh -L`.
    private func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && ["127.0.0.1", "localhost"].contains(parts[0])
            && (parts.count == 1 || UInt16(parts[1]) != nil)
    }

    /// True if the user opens the address in a window of a browser, rather than a page or another program.
    private func isOpenedByUser(_ request: Request) -> Bool {
        guard let host = request.head.authority, isLoopback(host) else { return false }
        return request.method == .get && request.headers[.origin] == nil
            && ["none", "same-origin"].contains(request.headers[.fetchSite])
            && request.headers[.fetchMode] == "navigate" && request.headers[.fetchDestination] == "document"
    }

    // MARK: Responses

    /// Leads a browser that has redeemed a code to the page.
    private func enter(_ session: BrowserSession, _ request: Request) -> Response {
        // A page for a snapshot has no animations.
        let query = request.uri.query == "snapshot" ? "?snapshot" : ""
        return Response(
            status: .seeOther,
            headers: [.location: "/\(sessions.root.text)/\(query)", .setCookie: sessions.cookieToSet(for: session)])
    }

    private func newAddressPage(_ languages: String?) async throws -> Response {
        var headers = HTTPFields()
        headers[.acceptLanguage] = languages
        let page = try await FileWork.tiles.run { [files, headers, newAddress] in
            files.response(newAddress, headers: headers)
        }
        guard var response = page else { return Response(status: .notFound) }
        response.status = .notFound
        response.headers[.eTag] = nil
        response.headers[.cacheControl] = "no-store"
        // Its style is within it, because its browser may read no other file.
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        protect(&response)
        return response
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "worker-src blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "

    private func protect(_ response: inout Response) {
        if response.headers[.contentSecurityPolicy] == nil { response.headers[.contentSecurityPolicy] = policy }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    /// Decodes the value of a page's post.
    package func decode<Value>(
        _ request: Request, upTo limit: Int, _ decode: (ByteBufferView) throws -> Value
    ) async throws(RefusedPost) -> Value {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else { throw .wrongType }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch {
            throw .tooLong
        }
        do {
            return try decode(body.readableBytesView)
        } catch {
            throw .malformed
        }
    }
}

/// The frames that a page may have or be in. All are of the same server: pages of other servers neither frame ours nor are framed by
/// them.
package enum PageFraming: Sendable {
    case none, framesOthers, isFramed

    fileprivate var policy: String {
        switch self {
        case .none: "frame-ancestors 'none'"
        case .framesOthers: "frame-src 'self'; frame-ancestors 'none'"
        case .isFramed: "frame-ancestors 'self'"
        }
    }
}

/// The reason for refusing a page's post.
package enum RefusedPost: Error {
    case wrongType, tooLong, malformed

    fileprivate var response: Response {
        switch self {
        case .wrongType: Response(status: .unsupportedMediaType)
        // The rest of the body is not read.
        case .tooLong: Response(status: .contentTooLarge, headers: [.connection: "close"])
        case .malformed: Response(status: .badRequest)
        }
    }
}

extension Response {
    /// A response with a value as JSON.
    package init(json value: some Encodable) throws {
        self.init(ByteBuffer(bytes: try JSONEncoder().encode(value)), type: "application/json")
    }

    /// A response with content of a media type, which the browser keeps as `caching` says; by default not at all.
    package init(_ content: ByteBuffer, type: String, caching: String? = nil) {
        self.init(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: content))
        headers[.cacheControl] = caching
    }
}

extension Page {
    /// The response with the page's stream of events, which lasts as long as the page and the program. `leave` is called at the end,
    /// and `onShutdown` when the server that sends it begins to shut down.
    package nonisolated func response(
        to request: Request, onShutdown: @escaping @Sendable () -> Void = {},
        leave: @escaping @MainActor @Sendable (Page) -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: .init { writer in
                do {
                    try await withGracefulShutdownHandler {
                        try await self.send(to: &writer, whileOpen: request.body)
                    } onGracefulShutdown: {
                        onShutdown()
                    }
                } catch {
                    await leave(self)
                    throw error
                }
                await leave(self)
                try await writer.finish(nil)
            })
    }

    /// Sends the stream while watching for the end of the request. Otherwise a closed page would be noticed only at the
    /// next event, and would delay the server's shutdown.
    private nonisolated func send(
        to writer: inout any ResponseBodyWriter, whileOpen body: RequestBody
    ) async throws {
        try await body.consumeWithCancellationOnInboundClose { _ in
            for await _ in wakeUps {
                while let chunk = try await take() { try await writer.write(chunk) }
            }
        }
    }
}

extension HTTPField.Name {
    // Each is a token of RFC 9110.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
