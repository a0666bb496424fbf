package import WiFiPositioning

/// Asks a positioning server where access points are.
package protocol PositioningService: Sendable {
    /// Asks once.
    ///
    /// - Parameter completion: called on the event loop of the source, unless the request is cancelled before.
    /// - Returns: cancels the request.
    func locate(
        _ points: [AccessPoint],
        completion: @escaping @Sendable (Result<PositioningReply, PositioningFailure>) -> Void
    ) -> @Sendable () -> Void
}

/// The position that a server has told, and the server's name.
package struct PositioningReply: Hashable, Sendable {
    package var position: NetworkPosition
    package var server: String

    package init(position: NetworkPosition, server: String) {
        (self.position, self.server) = (position, server)
    }
}
