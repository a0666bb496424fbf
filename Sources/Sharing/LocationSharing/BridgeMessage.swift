import GPSDProtocol

/// What readers of a bridge get.
package enum BridgeMessage {
    /// The text of a position for a kind of bridge; `nil` for a service, which is none.
    package static func text(_ record: ShareRecord, of service: SharingService) -> String? {
        switch service {
        case .nmea:
            record.isReduced
                ? NMEAText.sentences(reduced: record.location)
                : NMEAText.instruments(record.location, heading: record.heading)
        case .signalk: SignalKMessage.delta(record)
        default: nil
        }
    }
}
