/// An access point as a scan reports it, with its name.
package struct ScannedAccessPoint: Hashable, Sendable {
    /// The hardware address, as text.
    package var address: String
    /// The network's name: any bytes; empty or zeros for a hidden one.
    package var name: [UInt8]
    /// The frequency in MHz.
    package var frequency: Int
    /// The strength of its signal in percent.
    package var strength: Int
    /// The time when it was last received, since the machine's start, sleep included; `nil` for never.
    package var lastSeen: Duration?
    /// True for an access point, false for a peer of an ad-hoc or mesh network.
    package var isInfrastructure: Bool

    package init(
        address: String, name: [UInt8], frequency: Int, strength: Int, lastSeen: Duration?, isInfrastructure: Bool
    ) {
        (self.address, self.name, self.frequency) = (address, name, frequency)
        (self.strength, self.lastSeen, self.isInfrastructure) = (strength, lastSeen, isInfrastructure)
    }
}

/// An access point as it is sent to a server: without a name.
package struct AccessPoint: Hashable, Sendable {
    /// The hardware address.
    package var address: HardwareAddress
    /// The strength of its signal in dBm.
    package var signalStrength: Int
    /// The frequency in MHz.
    package var frequency: Int
    /// The time since it was received, in milliseconds.
    package var age: Int

    package init(address: HardwareAddress, signalStrength: Int, frequency: Int, age: Int) {
        (self.address, self.signalStrength, self.frequency, self.age) = (address, signalStrength, frequency, age)
    }
}

/// The access points of a scan that a server may be asked about.
package struct AccessPointSelection: Sendable {
    /// The fewest that a server is asked about. With one, somebody could look up where a stranger's router is.
    package static let minimumCount = 2
    /// The most: a server uses no more.
    package static let maximumCount = 20
    /// The age from which an access point no longer counts.
    package static let maximumAge = Duration.seconds(30)

    /// The reason why an access point is left out.
    package enum Omission: String, Error, CaseIterable, Sendable {
        case unreadableAddress = "unreadable address"
        case notInfrastructure = "not an access point"
        case hidden = "hidden name"
        case optedOut = "name with _nomap or _optout"
        case invented = "address invented for iwd"
        case groupAddress = "group or protocol address"
        case localAddress = "locally administered address"
        case old = "not heard for 30 s"
        case surplus = "weaker than the 20 strongest"
    }

    /// The access points, the strongest first, each address once.
    package private(set) var points: [AccessPoint] = []
    /// The number of those left out, by reason.
    package private(set) var omitted: [Omission: Int] = [:]

    /// Selects among the access points of a scan.
    ///
    /// - Parameter now: the time since the machine's start, sleep included.
    package init(_ scanned: [ScannedAccessPoint], at now: Duration) {
        var best: [HardwareAddress: AccessPoint] = [:]
        for point in scanned {
            do throws(Omission) {
                let point = try Self.judge(point, at: now)
                if let other = best[point.address], other.signalStrength >= point.signalStrength { continue }
                best[point.address] = point
            } catch {
                omitted[error, default: 0] += 1
            }
        }
        points = best.values.sorted { ($1.signalStrength, $0.address) < ($0.signalStrength, $1.address) }
        let surplus = points.count - Self.maximumCount
        guard surplus > 0 else { return }
        points.removeLast(surplus)
        omitted[.surplus] = surplus
    }

    /// True if there are enough to ask.
    package var isSufficient: Bool { points.count >= Self.minimumCount }

    /// The addresses.
    package var addresses: Set<HardwareAddress> { Set(points.map(\.address)) }

    /// The time since the last of them was received; `nil` without any.
    package var age: Duration? { points.map(\.age).min().map { .milliseconds($0) } }

    private static func judge(_ point: ScannedAccessPoint, at now: Duration) throws(Omission) -> AccessPoint {
        guard let address = HardwareAddress(point.address) else { throw .unreadableAddress }
        guard point.isInfrastructure else { throw .notInfrastructure }
        guard point.name.contains(where: { $0 != 0 }) else { throw .hidden }
        if point.name.hasOptedOut { throw .optedOut }
        if address.isInventedForIwd { throw .invented }
        if address.isGroup || address.isOfProtocol { throw .groupAddress }
        if address.isLocallyAdministered { throw .localAddress }
        guard address.isUsable else { throw .unreadableAddress }
        guard let seen = point.lastSeen, now - seen <= maximumAge else { throw .old }
        // A time after `now` is one of the next second, since NetworkManager rounds.
        let age = max(.zero, now - seen) / .milliseconds(1)
        return AccessPoint(
            address: address, signalStrength: decibels(percent: point.strength), frequency: point.frequency,
            age: Int(age))
    }

    /// The strength in dBm, converted back from NetworkManager's percentage, which covers −100 to −40.
    package static func decibels(percent: Int) -> Int {
        Int((0.6 * Double(min(max(percent, 0), 100)) - 100).rounded())
    }
}

extension [UInt8] {
    /// True for a name that asks not to be used: `_nomap` at its end, or `_optout` anywhere.
    fileprivate var hasOptedOut: Bool {
        // Some drivers fill names up with zeros.
        let name = self[...(lastIndex { $0 != 0 } ?? endIndex - 1)]
        return name.suffix(6).elementsEqual("_nomap".utf8) || name.contains("_optout".utf8)
    }
}
