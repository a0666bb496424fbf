/// A request of HTTP: a POST with a content.
package struct HTTPRequest: Sendable {
    /// The URL, which may contain a key: it is never part of a message.
    package var url: String
    /// The header lines besides Host, Content-Length and Accept.
    package var headers: [String]
    /// The content.
    package var body: [UInt8]

    /// A request with these parts.
    package init(url: String, headers: [String], body: [UInt8]) {
        (self.url, self.headers, self.body) = (url, headers, body)
    }
}

/// The answer of a server.
package struct HTTPAnswer: Hashable, Sendable {
    /// The status, such as 200.
    package var status: Int
    /// The content.
    package var body: [UInt8]
    /// The time after which the server wants to be asked again, in seconds; `nil` if it names none.
    package var retryAfter: Int?
    /// The URL that a redirection leads to; `nil` without one.
    package var redirect: String?
}
