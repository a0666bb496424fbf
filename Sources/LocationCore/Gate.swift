package import LocationModel
import LocationPolicy

/// A position that has been released to one recipient at this moment.
///
/// Only the ``Gate`` creates them, and a front end can send nothing else.
package struct Disclosure {
    /// A position with the accuracy for the recipient.
    package enum Content {
        /// An exact location.
        case location(Publication)
        /// A reduced location.
        case reduced(Publication)
        /// A tracking frame.
        case frame(SharedFrame)
        /// A heading.
        case heading(SharedHeading)
    }

    package let content: Content

    fileprivate init(_ content: Content) { self.content = content }
}

/// A frame for all followers of a rate, shared so that it is encoded once.
package final class SharedFrame {
    package let frame: TrackingFrame
    /// The location that it is predicted from.
    let publication: Publication?

    init(_ frame: TrackingFrame, from publication: Publication?) {
        self.frame = frame
        self.publication = publication
    }
}

/// A heading for all recipients, shared so that it is encoded once.
package final class SharedHeading {
    package let heading: Heading
    init(_ heading: Heading) { self.heading = heading }
}

/// A recipient of positions, whose access is evaluated for each of them and never stored.
protocol Recipient: AnyObject {
    /// The evaluation of its access at this moment.
    var evaluation: AccessEvaluation { get }
}

/// The only exit for locations, frames, headings and answers.
enum Gate {
    /// Releases a position if the recipient has access to it now, at this accuracy, and if it is fresh.
    ///
    /// - Parameters:
    ///   - content: the position.
    ///   - recipient: the recipient.
    ///   - isFresh: true if the position is current by ``Publisher/isFresh(_:)``.
    @inline(__always)
    static func pass(_ content: Disclosure.Content, to recipient: some Recipient, isFresh: Bool) -> Disclosure? {
        guard isFresh, case .permitted(let accuracy) = recipient.evaluation.access else { return nil }
        switch content {
        case .location, .frame, .heading: return accuracy == .full ? Disclosure(content) : nil
        case .reduced: return accuracy == .reduced ? Disclosure(content) : nil
        }
    }
}
