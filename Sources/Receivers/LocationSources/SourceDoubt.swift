/// A sign that the positions of a receiver may be wrong: of interference, or of signals that imitate those of satellites.
///
/// The signs follow MAVLink's message `GNSS_INTEGRITY`, which has states of jamming, spoofing and the antenna
/// (<https://mavlink.io/en/messages/development.html#GNSS_INTEGRITY>).
public struct SourceDoubt: Hashable, Sendable {
    /// What was noticed.
    public enum Sign: Hashable, Sendable {
        /// The receiver measures interference: its own indicator, from ``ReceiverScrutiny/leastJamming`` to 255.
        case jamming(level: Int)
        /// The receiver reports an open or a short circuit of its antenna.
        case antennaFault
        /// The position has moved by so many metres in so many seconds, far more than the receiver's speed explains.
        case jump(metres: Double, seconds: Double)
        /// The receiver's time has moved by so many seconds more than time has passed; below 0 if it has gone back.
        case timeStep(seconds: Double)
        /// The position is so many metres from that of another source, which is named as in ``SourceStatus/endpoint`` or
        /// ``ReceiverStatus/device``.
        case disagreement(metres: Double, source: String)
    }

    /// What was noticed.
    public var sign: Sign
    /// The time since it was noticed.
    public var age: Duration
}
