package import WiFiPositioning

/// Hears access points. Confined to its event loop.
package protocol WiFiScanner: AnyObject {
    /// Follows the state of Wi-Fi until `close()`.
    ///
    /// - Parameter onEvent: called for each event, never from within this call.
    func open(onEvent: @escaping (WiFiEvent) -> Void)

    /// Ends following; answers from before are omitted.
    func close()

    /// Reads the access points that are known now, without a new scan.
    func read(answer: @escaping (Result<WiFiScan, WiFiFailure>) -> Void)

    /// Requests a scan, whose end is an event.
    ///
    /// - Parameter answer: called with the reason if there will be none.
    func requestScan(answer: @escaping (WiFiFailure?) -> Void)
}

/// An event of a ``WiFiScanner``.
package enum WiFiEvent: Hashable, Sendable {
    /// Access points can be read now.
    case available
    /// They cannot.
    case unavailable(WiFiFailure)
    /// A scan has ended.
    case scanned
}

/// The access points that are known.
package struct WiFiScan: Hashable, Sendable {
    package var points: [ScannedAccessPoint]
    /// False if the machine has no connection to the Internet, or one that requires a login first.
    package var isOnline: Bool

    package init(points: [ScannedAccessPoint], isOnline: Bool) {
        (self.points, self.isOnline) = (points, isOnline)
    }
}

/// The reason for having no access points, as a sentence without a full stop.
package struct WiFiFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
