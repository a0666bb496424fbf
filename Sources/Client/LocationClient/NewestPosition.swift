import LocationInterface
import LocationModel
import Varlink

/// A reply of a stream of positions.
protocol PositionReply {
    /// True if it has a position: a location, or a frame.
    var hasPosition: Bool { get }
    /// True if it has a heading and nothing else.
    var isHeading: Bool { get }
    var diagnostic: LocationDiagnostic? { get }
    /// The number of positions dropped before this reply; `nil` for none.
    var skipped: Int? { get set }

    /// Removes the position.
    mutating func dropPosition()
}

/// The replies that wait for a program slower than the service: of those with a position the newest one, and every diagnostic.
enum NewestPosition {
    /// Adds the next reply to those that wait, or the error that ends the stream.
    ///
    /// The positions that are dropped count in the one that takes their place, or in the diagnostic after which they are not told.
    @Sendable static func keep<Reply: PositionReply>(_ waiting: inout [Reply], _ next: Result<Reply, any Error>) {
        guard case .success(var next) = next else {
            // A service that stops takes nothing back; another error may.
            if case .failure(let error as VarlinkError) = next, error.isServiceStopping { return }
            return waiting = waiting.compactMap(\.withoutPosition)
        }
        // After a change of authorization, the program gets nothing from before.
        let isChange =
            switch next.diagnostic {
            case .authorizationRequestInProgress, .authorizationDenied, .authorizationRestricted, .insufficientlyInUse,
                .accuracyLimited, .unknown:
                true
            case .stationary, .locationUnavailable, nil: false
            }
        if next.hasPosition || isChange {
            let dropped = waiting.reduce(0) { $0 + ($1.hasPosition ? 1 + ($1.skipped ?? 0) : 0) }
            waiting = waiting.compactMap(\.withoutPosition)
            if dropped > 0 { next.skipped = (next.skipped ?? 0) + dropped }
        }
        if next.isHeading || isChange { waiting.removeAll(where: \.isHeading) }
        waiting.append(next)
    }
}

extension PositionReply {
    /// The reply without its position; `nil` if it has nothing else.
    fileprivate var withoutPosition: Self? {
        guard hasPosition else { return self }
        guard diagnostic != nil else { return nil }
        var rest = self
        rest.dropPosition()
        // Its positions are counted elsewhere.
        rest.skipped = nil
        return rest
    }
}

extension LocationInterface.Subscribe.Reply: PositionReply {
    var hasPosition: Bool { location != nil }
    var isHeading: Bool { heading != nil && location == nil && diagnostic == nil }

    mutating func dropPosition() { location = nil }
}

extension LocationInterface.Follow.Reply: PositionReply {
    var hasPosition: Bool { frame != nil }
    var isHeading: Bool { false }

    mutating func dropPosition() { frame = nil }
}
