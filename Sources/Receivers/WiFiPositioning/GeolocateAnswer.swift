import StrictJSON

/// The answer of a positioning server, read strictly.
package enum GeolocateAnswer {
    /// The largest content in bytes.
    package static let maximumSize = 65_536

    /// Reads an answer.
    ///
    /// - Parameter retryAfter: the time after which the server may be queried again, in seconds.
    package static func read(
        status: Int, body: [UInt8], retryAfter: Int?, from server: ServerAddress
    ) throws(PositioningFailure) -> (latitude: Double, longitude: Double, accuracy: Double) {
        func failure(_ reason: PositioningFailure.Reason, _ message: String) -> PositioningFailure {
            PositioningFailure(reason, message, retryAfter: retryAfter)
        }
        switch status {
        case 200: break
        case 404 where isNotFound(body):
            throw failure(.notFound, "\(server) knows none of the access points")
        case 300..<400:
            throw failure(
                .redirected, "\(server) answered with a redirection, as the page of a captive portal does")
        case 403, 429, 503:
            throw failure(.busy, "\(server) accepts no more requests for now (HTTP status \(status))")
        default: throw failure(.refused, "\(server) refused the request (HTTP status \(status))")
        }
        let answer: JSONOutline
        do throws(JSONFlaw) { answer = try JSONOutline(body) } catch {
            throw failure(
                .notAPosition, "\(server) answered with something else than a position, such as a captive portal's page"
            )
        }
        if answer["fallback"] != nil {
            throw failure(
                .notAPosition, "\(server) answered by the address on the Internet or by a radio cell, not by Wi-Fi")
        }
        guard let location = answer["location"], location.isObject,
            let place = try? JSONOutline(Array(location.text)),
            let latitude = place["lat"]?.number, let longitude = place["lng"]?.number,
            let accuracy = answer["accuracy"]?.number
        else { throw failure(.notAPosition, "\(server) answered without a position") }
        guard latitude != 0 || longitude != 0 else {
            throw failure(.notFound, "\(server) answered 0° N 0° E, as servers do that know none of the access points")
        }
        guard NetworkPosition(latitude: latitude, longitude: longitude, accuracy: accuracy) != nil else {
            throw failure(.notAPosition, "\(server) answered with a position that cannot be one by Wi-Fi")
        }
        return (latitude, longitude, accuracy)
    }

    /// True for the content that comes with the server's status 404, not with that of a page that does not exist.
    private static func isNotFound(_ body: [UInt8]) -> Bool { (try? JSONOutline(body))?["error"] != nil }
}

/// A request without a position.
package struct PositioningFailure: Error, Hashable, Sendable {
    /// The kind of failure.
    package enum Reason: String, CaseIterable, Sendable {
        /// No server is named, or the file that names it is refused.
        case notConfigured
        /// The request did not get to a server.
        case unreachable
        /// The server's certificate is not valid here.
        case untrusted
        /// The server did not answer in time.
        case timeout
        /// The answer is too large.
        case tooLarge
        /// The server redirects to another one.
        case redirected
        /// The server limits the rate of requests.
        case busy
        /// The server refused the request.
        case refused
        /// The answer is no position by Wi-Fi.
        case notAPosition
        /// The server does not know the access points.
        case notFound
    }

    /// The kind of failure.
    package let reason: Reason
    /// A sentence without a full stop.
    package let message: String
    /// The time after which the server may be queried again, in seconds.
    package let retryAfter: Int?

    package init(_ reason: Reason, _ message: String, retryAfter: Int? = nil) {
        (self.reason, self.message, self.retryAfter) = (reason, message, retryAfter)
    }
}
