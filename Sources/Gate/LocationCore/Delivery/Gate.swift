package import LocationModel
import LocationPolicy
import LocationSources
import NIOCore

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

        /// The object that all recipients of the content share.
        package var shared: AnyObject {
            switch self {
            case .location(let publication), .reduced(let publication): publication
            case .frame(let frame): frame
            case .heading(let heading): heading
            }
        }

        /// The position that rules about places look at; `nil` for that of the newest location.
        var position: Position? {
            switch self {
            case .location(let publication), .reduced(let publication): publication.position
            case .frame(let frame): frame.position
            case .heading: nil
            }
        }

        /// The number by which deliveries are paced; `nil` for anything but a location.
        var paceNumber: UInt64? {
            switch self {
            case .location(let publication), .reduced(let publication): publication.number
            // Each frame is a location of its own. Reports have smaller numbers.
            case .frame(let frame): frame.time.uptimeNanoseconds | 1 << 63
            case .heading: nil
            }
        }
    }

    /// A claim to be given the same position again, if the recipient may have it then. It shows nothing of the position.
    package struct Ticket {
        fileprivate let content: Content
    }

    package let content: Content
    package var ticket: Ticket { Ticket(content: content) }

    fileprivate init(_ content: Content) { self.content = content }
}

/// A frame for all followers of a rate, shared so that it is encoded once.
package final class SharedFrame {
    package let frame: TrackingFrame
    /// The moment for which it was predicted.
    let time: NIODeadline
    /// The location that it is predicted from.
    let publication: Publication?
    /// The predicted position.
    let position: Position

    init(_ frame: TrackingFrame, at time: NIODeadline, from publication: Publication?) {
        position = Position(frame.coordinate, accuracy: frame.horizontalAccuracy)
        self.frame = frame
        self.time = time
        self.publication = publication
    }
}

/// A heading for all recipients, shared so that it is encoded once.
package final class SharedHeading {
    package let heading: Heading
    /// The time of its arrival.
    let arrival: NIODeadline

    init(_ heading: Heading, arrival: NIODeadline) { (self.heading, self.arrival) = (heading, arrival) }
}

/// A recipient of positions, whose access is evaluated for each of them and never stored.
protocol Recipient: AnyObject {
    /// The client for which it receives.
    var client: Client { get }
    /// The evaluation of its access at this moment.
    ///
    /// - Parameter position: the position of what is to be released to it; `nil` for that of the newest location. Only rules
    ///   about places look at it.
    func evaluation(at position: Position?) -> AccessEvaluation
}

extension Recipient {
    /// The evaluation of its access to the newest location.
    var evaluation: AccessEvaluation { evaluation(at: nil) }
    /// Its view of the newest location.
    var view: RecipientView { evaluation.view }
    /// Its view of a position.
    func view(of position: Position?) -> RecipientView { evaluation(at: position).view }
    /// The manner in which a missing location is reported to it.
    var absence: AbsenceReport { client.absence }
}

/// The only exit for locations, frames, headings and answers.
///
/// It decides about each recipient at the moment of the release: by the recipient's access to this very position, by the
/// pace that rules set, and by the freshness of the position, which it knows from the position's own time. Confined to the event loop.
final class Gate {
    /// The time for which a position counts as fresh after its arrival, unless it is the newest location and the source is
    /// watched. About as long as the source takes to report a silent receiver of one fix a second.
    static let lifetime = TimeAmount.seconds(3)

    private let eventLoop: any EventLoop
    private let wallClock: () -> Timestamp
    /// The supply of the sources, by which freshness is decided.
    private(set) var supply = Supply()

    init(eventLoop: any EventLoop, wallClock: @escaping () -> Timestamp) {
        (self.eventLoop, self.wallClock) = (eventLoop, wallClock)
    }

    // MARK: Supply

    /// Takes an event of the sources. Returns what follows from it, in its order.
    ///
    /// - Parameters:
    ///   - staleAt: the time at which the sources would report that a location has gone stale.
    ///   - problem: the last error of a source, for the reason.
    func receive(
        _ event: SourceEvent, staleAt: @autoclosure () -> NIODeadline? = nil,
        problem: @autoclosure () -> String? = nil
    ) -> [Supply.Action] {
        supply.receive(event, at: eventLoop.now, staleAt: staleAt(), problem: problem())
    }

    /// Takes the need of all recipients. Returns what follows from it, in its order.
    func setDemand(_ demand: LocationDemand) -> [Supply.Action] {
        supply.setDemand(demand, isFresh: newestLocation() != nil)
    }

    /// Notes whether the sources rest: they are not needed for a time only.
    func setResting(_ isResting: Bool) { supply.setResting(isResting) }

    /// The newest location, unless it has gone stale. The fixed position, which the machine has at every moment, is dated now.
    func newestLocation() -> Publication? {
        supply.redate(at: eventLoop.now, time: wallClock)
        guard let newest = supply.newest, isFresh(newest) else { return nil }
        // Another position may have been set since, and its source reports it at once when it is needed.
        return newest.isFixed && !supply.isWatched ? nil : newest
    }

    // MARK: Release

    /// Releases a position if the recipient has access to it now, at this accuracy, and if it is fresh.
    @inline(__always)
    func pass(_ content: Disclosure.Content, to recipient: some Recipient) -> Disclosure? {
        let evaluation = recipient.evaluation(at: content.position)
        guard let accuracy = evaluation.view.release else { return nil }
        if let interval = evaluation.interval?.value, let number = content.paceNumber {
            let (pace, now) = (recipient.client.pace, ContinuousClock.now)
            guard pace.allows(number, at: now, interval: interval) else { return nil }
            // It is repeated until the next one may be delivered.
            if case .location = content, accuracy == .full, pace.isCurrent(number, at: now, interval: interval) {
                return Disclosure(content)
            }
        }
        switch content {
        case .location(let publication):
            guard accuracy == .full, isCurrent(publication, evaluation.view.absence) else { return nil }
        case .reduced(let publication):
            guard accuracy == .reduced, isCurrent(reduced: publication) else { return nil }
        case .frame(let frame):
            guard accuracy == .full, isYoung(frame.time) else { return nil }
        case .heading(let heading):
            guard accuracy == .full, isYoung(heading.arrival) else { return nil }
        }
        return Disclosure(content)
    }

    /// Releases a position again, by the same rules.
    func pass(again ticket: Disclosure.Ticket, to recipient: some Recipient) -> Disclosure? {
        pass(ticket.content, to: recipient)
    }

    /// Releases a position again, by the same rules. The fixed position is dated now.
    func pass(repeating ticket: Disclosure.Ticket, to recipient: some Recipient) -> Disclosure? {
        if case .location(let publication) = ticket.content, publication.isFixed, let newest = newestLocation(),
            newest.number == publication.number
        {
            return pass(.location(newest), to: recipient)
        }
        return pass(again: ticket, to: recipient)
    }

    /// True if the evidence of an exact location may be reported to a recipient: at this moment, where the user is now.
    func mayBeTold(_ recipient: some Recipient) -> Bool { recipient.view.release == .full }

    /// True if an exact location is still current.
    ///
    /// The newest one is current until the source reports that it has gone stale or, while the source is not watched,
    /// for ``lifetime``. An earlier one is current for ``lifetime`` after its arrival, or as long as the source would have
    /// held it current if it had been the last, while the source has a location at all.
    @inline(__always)
    func isFresh(_ publication: Publication) -> Bool {
        guard let newest = supply.newest else { return false }
        if supply.isWatched {
            if publication.number == newest.number { return true }
            if let staleAt = publication.staleAt, eventLoop.now < staleAt { return true }
        }
        return isYoung(publication.arrival)
    }

    /// True if an exact location may still be sent to a recipient with this manner of reporting absences.
    ///
    /// If they are to look alike, it is sent it to the end of the location's own time, neither longer nor shorter: its end at a
    /// report of the sources would distinguish such a report from a rule.
    private func isCurrent(_ publication: Publication, _ absence: AbsenceReport) -> Bool {
        absence == .uniform ? eventLoop.now < publication.currentUntil : isFresh(publication)
    }

    /// True if a reduced location is still current: until the next one may be released.
    func isCurrent(reduced publication: Publication) -> Bool {
        publication.expiry.map { eventLoop.now < $0 } ?? false
    }

    private func isYoung(_ time: NIODeadline) -> Bool { eventLoop.now - time < Self.lifetime }
}
