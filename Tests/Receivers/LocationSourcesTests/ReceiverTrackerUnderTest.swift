import LocationModel
import NIOCore

@testable import LocationSources

/// Abbreviations for times and reports: seconds since the start, and receivers' times in seconds.
func at(_ seconds: Double) -> NIODeadline {
    NIODeadline.uptimeNanoseconds(1_000_000_000_000) + TimeAmount.nanoseconds(Int64((seconds * 1e9).rounded()))
}

func stamp(_ seconds: Double) -> Timestamp {
    Timestamp(nanosecondsSince1970: Int64((1_000_000 + seconds) * 1e9))
}

func fix(
    _ seconds: Double?, device: String? = "a", latitude: Double = 48, mode: FixMode = .threeDimensional,
    accuracy: Double? = nil, speed: Double? = nil, arrival: Double = 0
) -> ReceiverReport {
    let time = seconds.map { stamp($0) }
    var location = Location(
        coordinate: Coordinate(latitude: latitude, longitude: 11)!,
        timestamp: time ?? Timestamp(nanosecondsSince1970: Int64(arrival * 1e9)))
    location.horizontalAccuracy = accuracy
    location.speed = speed
    location.sourceInformation = .init(isSimulated: false, device: device)
    return .position(PositionReport(device: device, mode: mode, time: time, location: location))
}

func noFix(_ seconds: Double?, device: String? = "a") -> ReceiverReport {
    .position(PositionReport(device: device, mode: .noFix, time: seconds.map { stamp($0) }, location: nil))
}

extension ReceiverTracker {
    /// The published events in short form: `48@3` is latitude 48 at the receiver's second 3.
    mutating func hear(_ report: ReceiverReport, _ seconds: Double) -> [String] {
        short(receive(report, from: 0, at: at(seconds)))
    }

    mutating func setConnected(_ isConnected: Bool, at now: NIODeadline) -> [SourceEvent] {
        setConnected(isConnected, 0, at: now)
    }

    func status(at now: NIODeadline) -> [ReceiverStatus] { status(of: 0, at: now) }

    mutating func tick(_ seconds: Double) -> [String] { short(tick(at: at(seconds))) }

    var deadline: Double? {
        nextDeadline.map { Double(($0 - at(0)).nanoseconds) / 1e9 }
    }

    static func needed(preferring device: String? = nil) -> ReceiverTracker {
        var tracker = ReceiverTracker(preferredDevices: device.map { [$0] } ?? [])
        _ = tracker.setConnected(true, at: at(0))
        tracker.setNeeded(true, at: at(0))
        return tracker
    }

    /// A tracker that has learned that an epoch of receiver `a` has `reports` reports, up to second `last`.
    static func trained(reports: Int = 1, until last: Int, interval: Double = 1) -> ReceiverTracker {
        var tracker = needed()
        for second in 0...last {
            for index in 0..<reports {
                _ = tracker.hear(fix(Double(second)), Double(second) * interval + 0.01 * Double(index))
            }
        }
        return tracker
    }
}

func short(_ events: [SourceEvent]) -> [String] {
    events.map { event in
        switch event {
        case .location(let location):
            "\(Int(location.coordinate.latitude))@\(Int(location.timestamp.secondsSince1970) - 1_000_000)"
        case .heading(let heading): "heading \(Int(heading.trueHeading))"
        case .unavailable(let reason): reason.rawValue
        }
    }
}
