import LocationModel
import LocationPolicy

/// A position that may leave to one recipient at this moment.
///
/// Only the ``Gate`` makes one, and a door can send nothing else: there is no other way for a position to leave.
struct Disclosure {
    /// A position, as exact as the recipient may have it.
    enum Content {
        /// An exact location.
        case location(Publication)
        /// A rough location.
        case rough(Publication)
        /// A frame for a screen that follows.
        case frame(SharedFrame)
        /// A heading.
        case heading(SharedHeading)
    }

    let content: Content

    fileprivate init(_ content: Content) { self.content = content }
}

/// A frame that goes to all followers of a rate, one object for all so that it is encoded once.
final class SharedFrame {
    let frame: TrackingFrame
    /// The location that it was carried on from.
    let publication: Publication?

    init(_ frame: TrackingFrame, from publication: Publication?) {
        self.frame = frame
        self.publication = publication
    }
}

/// A heading that goes to all who want headings, one object for all so that it is encoded once.
final class SharedHeading {
    let heading: Heading
    init(_ heading: Heading) { self.heading = heading }
}

/// A recipient of positions: its access is looked up when it is needed and never kept.
protocol Recipient: AnyObject {
    /// The evaluation of its access at this moment.
    var evaluation: AccessEvaluation { get }
}

/// The one way out for every location, frame, heading and answer.
enum Gate {
    /// Lets a position pass if the recipient may have it now, as exactly as it is, and if it is not stale.
    ///
    /// - Parameters:
    ///   - content: the position to send.
    ///   - recipient: who is to have it.
    ///   - isFresh: whether the position is still current, by the rules of ``Publisher/isFresh(_:)``.
    @inline(__always)
    static func pass(_ content: Disclosure.Content, to recipient: some Recipient, isFresh: Bool) -> Disclosure? {
        guard isFresh, case .permitted(let accuracy) = recipient.evaluation.access else { return nil }
        switch content {
        case .location, .frame, .heading: return accuracy == .full ? Disclosure(content) : nil
        case .rough: return accuracy == .reduced ? Disclosure(content) : nil
        }
    }
}
