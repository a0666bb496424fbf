import GPSDProtocol
import LocationCore
import NIOCore

/// A position as it is sent: with its line ends, and as the TPV alone, which is part of the answer to POLL.
///
/// Every local user can read how many bytes a connection has carried (`ss -ti`), so all reports have the same length, with a
/// position and without.
final class EncodedPosition {
    let tpv: String
    let json: ByteBuffer
    private let makeSentences: () -> String
    /// The sentences, for the few peers that have enabled them.
    private(set) lazy var nmea = ByteBuffer(string: NMEAText.filled(makeSentences()))

    init(tpv: String, nmea: @escaping () -> String) {
        self.tpv = tpv
        json = ByteBuffer(string: Self.padded(tpv, for: tpv) + "\r\n")
        makeSentences = nmea
    }

    /// The answer to POLL with the TPV.
    func poll(time: String) -> String {
        Self.padded(GPSDReply.poll(time: time, tpv: tpv, device: PositionText.device), for: tpv)
    }

    /// An object with spaces before its last brace, which give it the same length whatever TPV it contains. Not behind it: libgps for
    /// Python takes a line for JSON only if it ends with the brace.
    private static func padded(_ object: String, for tpv: String) -> String {
        object.dropLast() + String(repeating: " ", count: max(0, PositionText.longest - tpv.utf8.count)) + "}"
    }

    /// The report of a receiver without a fix.
    static func noFix() -> EncodedPosition { EncodedPosition(tpv: PositionText.noFix) { NMEAText.noFix } }
}

/// Encodes positions, once for all peers that are given the same.
///
/// Confined to the event loop.
final class PositionEncoder {
    let noFix = EncodedPosition.noFix()
    /// The newest exact position, and the newest reduced one.
    private var exact, reduced: (content: AnyObject, encoded: EncodedPosition)?

    /// The position of a disclosure; `nil` for one without a location.
    func encode(_ content: Disclosure.Content) -> EncodedPosition? {
        switch content {
        case .location(let publication):
            if let exact, exact.content === publication { return exact.encoded }
            let location = publication.location
            let encoded = EncodedPosition(tpv: PositionText.tpv(location)) { NMEAText.sentences(location) }
            exact = (publication, encoded)
            return encoded
        case .reduced(let publication):
            if let reduced, reduced.content === publication { return reduced.encoded }
            let location = publication.location
            let encoded = EncodedPosition(tpv: PositionText.tpv(reduced: location)) {
                NMEAText.sentences(reduced: location)
            }
            reduced = (publication, encoded)
            return encoded
        case .frame, .heading: return nil
        }
    }
}
