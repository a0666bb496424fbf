import LocationModel
import NIOCore
import Varlink

/// The newest location that the source reported, with its texts once they have been needed: all who ask before the next
/// one comes get the same bytes.
struct Newest {
    let location: Location
    /// When it came.
    let arrival: NIODeadline
    /// As a delivery to a subscription.
    fileprivate var delivery: EncodedReply?
    /// As the answer to a `GetLocation` call.
    fileprivate var answer: EncodedReply?

    init(location: Location, arrival: NIODeadline) {
        self.location = location
        self.arrival = arrival
    }
}

extension Hub {
    /// The newest location as a delivery to a subscription.
    func encodedDelivery() -> EncodedReply? {
        if let known = current?.delivery { return known }
        guard let location = current?.location else { return nil }
        current?.delivery = encoded { try EncodedReply(location: location, continues: true) }
        return current?.delivery
    }

    /// The newest location as the answer to a `GetLocation` call.
    func encodedAnswer() -> EncodedReply? {
        if let known = current?.answer { return known }
        guard let location = current?.location else { return nil }
        current?.answer = encoded { try EncodedReply(location: location, continues: false) }
        return current?.answer
    }
}
