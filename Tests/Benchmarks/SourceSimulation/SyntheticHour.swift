import Glibc
package import LocationModel
import LocationSources
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import SeededRandom

/// An hour of a person's day: 10 minutes at home, 20 minutes' walk, of which 10 in a street that loses the satellites for 8 s
/// of every 30, then 10 minutes without satellites in a building, and 20 minutes there at rest.
///
/// The receiver has its first fix after 35 s; its error is 3 m in each direction, and it says 5 m. Wi-Fi answers every 30 s
/// with an error of 25 m in each direction and says 40 m; 3 % of its answers are 500 km off and say 10 m, as routers that
/// have moved make them.
package struct SyntheticHour {
    /// A report at a second: by satellites, or by Wi-Fi.
    package struct Report {
        package let second: Int
        package let kind: Location.SourceInformation.Kind
        /// Metres east and north of home.
        package let point: Point
        package let radius: Double
    }

    /// A place, in metres east and north of home.
    package struct Point {
        package let (east, north): (Double, Double)

        /// Metres east and north of home.
        package init(_ east: Double, _ north: Double = 0) { (self.east, self.north) = (east, north) }

        package func distance(to other: Point) -> Double { hypot(east - other.east, north - other.north) }
    }

    package static let seconds = 3600
    package let reports: [Report]

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var reports: [Report] = []
        for second in 0..<Self.seconds {
            let truth = Self.truth(at: second)
            if Self.hasSatellites(at: second) {
                let point = Point(truth.east + 3 * random.normal(), truth.north + 3 * random.normal())
                reports.append(Report(second: second, kind: .receiver, point: point, radius: 5))
            }
            guard second % 30 == 5 else { continue }
            if Double.random(in: 0..<1, using: &random) < 0.03 {
                let elsewhere = Point(truth.east + 500_000, truth.north)
                reports.append(Report(second: second, kind: .wifi, point: elsewhere, radius: 10))
            } else {
                let point = Point(truth.east + 25 * random.normal(), truth.north + 25 * random.normal())
                reports.append(Report(second: second, kind: .wifi, point: point, radius: 40))
            }
        }
        self.reports = reports
    }

    /// The place of the person.
    package static func truth(at second: Int) -> Point {
        switch second {
        case ..<600: Point(0)
        case ..<2100: Point(1.4 * Double(second - 600))
        default: Point(2100)
        }
    }

    private static func hasSatellites(at second: Int) -> Bool {
        second >= 35 && !(1800..<2400).contains(second) && !((900..<1500).contains(second) && second % 30 < 8)
    }
}

/// The measures of what a rule shows in a synthetic hour.
package struct ChoiceFigures {
    /// The changes from one kind of source to another.
    package var changes = 0
    /// The moves from one second to the next by more than three times the larger radius.
    package var jumps = 0
    /// Those between two fixes of the receiver: its own noise, for which the choice can do nothing.
    package var jumpsOfReceiver = 0
    /// The seconds at which the location was more than 5 km wrong, and said less.
    package var wrongCity = 0
    /// The errors in metres, a second each.
    package var errors: [Double] = []
    /// The locations whose time was before that of the one before them.
    package var timesBack = 0

    package init() {}

    /// The error that 95 % of the seconds do not exceed.
    package var error95: Double {
        let sorted = errors.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(0.95 * Double(sorted.count)))]
    }

    /// A location as a rule shows it.
    package struct Shown {
        var kind: Location.SourceInformation.Kind
        var point: SyntheticHour.Point
        var radius: Double
        var second: Int
    }

    /// Measures a rule: `show` is told each second with its reports, and returns what is shown then.
    package static func measure(
        _ hour: SyntheticHour, show: (_ second: Int, _ reports: ArraySlice<SyntheticHour.Report>) -> Shown?
    ) -> ChoiceFigures {
        var figures = ChoiceFigures()
        var (last, shownAt): (Shown?, Int) = (nil, 0)
        var rest = hour.reports[...]
        for second in 0..<SyntheticHour.seconds {
            let now = rest.prefix { $0.second == second }
            rest = rest.dropFirst(now.count)
            guard let shown = show(second, now) else { continue }
            let error = shown.point.distance(to: SyntheticHour.truth(at: second))
            figures.errors.append(error)
            if error > 5000, shown.radius < 5000 { figures.wrongCity += 1 }
            if let last {
                if last.kind != shown.kind { figures.changes += 1 }
                let isNext = shownAt == second - 1
                if isNext, last.point.distance(to: shown.point) > 3 * max(last.radius, shown.radius) {
                    figures.jumps += 1
                    if last.kind == .receiver, shown.kind == .receiver { figures.jumpsOfReceiver += 1 }
                }
            }
            (last, shownAt) = (shown, second)
        }
        return figures
    }
}

// MARK: Rules

/// The figures of the service's own sources' group.
package func figuresOfGroup(in hour: SyntheticHour) -> ChoiceFigures {
    let player = GroupPlayer()
    var figures = ChoiceFigures.measure(hour, show: player.show)
    figures.timesBack = player.timesBack
    return figures
}

/// The figures of the rule of Android's fused provider (AOSP): a location that is more than 11 s newer wins, or else the more
/// accurate one.
package func figuresOfFusedProvider(in hour: SyntheticHour) -> ChoiceFigures {
    var last: [Location.SourceInformation.Kind: ChoiceFigures.Shown] = [:]
    return .measure(hour) { _, reports in
        for report in reports { last[report.kind] = report.shown }
        guard let receiver = last[.receiver], let network = last[.wifi] else { return last[.receiver] ?? last[.wifi] }
        if receiver.second > network.second + 11 { return receiver }
        if network.second > receiver.second + 11 { return network }
        return receiver.radius < network.radius ? receiver : network
    }
}

/// The figures of GeoClue's rule (2.5.7): a new location replaces the last one, unless it is less accurate and the old one is
/// inside its circle.
package func figuresOfGeoClue(in hour: SyntheticHour) -> ChoiceFigures {
    var shown: ChoiceFigures.Shown?
    return .measure(hour) { _, reports in
        for report in reports {
            if let last = shown, report.point.distance(to: last.point) < report.radius, report.radius > last.radius {
                continue
            }
            shown = report.shown
        }
        return shown
    }
}

extension SyntheticHour.Report {
    fileprivate var shown: ChoiceFigures.Shown { .init(kind: kind, point: point, radius: radius, second: second) }
}

/// Plays a synthetic hour to a group of a receiver and Wi-Fi.
private final class GroupPlayer {
    private static let home = Coordinate(latitude: 52, longitude: 13)
    private static let start = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)

    private let loop = EmbeddedEventLoop()
    private let group: SourceGroup
    private var sources: [Location.SourceInformation.Kind: SimulatedSource] = [:]
    private let shown = NIOLockedValueBox<Location?>(nil)
    private var lastTime: Timestamp?
    private(set) var timesBack = 0

    init() {
        let loop = loop
        group = SourceGroup(eventLoop: loop, wallClock: { Self.time(loop.now) }) { [shown] event in
            switch event {
            case .location(let location): shown.withLockedValue { $0 = location }
            case .unavailable: shown.withLockedValue { $0 = nil }
            case .heading: break
            }
        }
        group.configure(
            [Location.SourceInformation.Kind.receiver, .wifi].map { kind in
                SourceDefinition(kind) { [self] report in
                    let source = SimulatedSource(kind, report)
                    sources[kind] = source
                    return source
                }
            })
        sources[.receiver]?.report(.connected)
        group.setDemand(.continuous)
    }

    deinit { group.shutdown() }

    private static func time(_ now: NIODeadline) -> Timestamp {
        start.advanced(by: .nanoseconds(Int64(now.uptimeNanoseconds)))
    }

    func show(_ second: Int, _ reports: ArraySlice<SyntheticHour.Report>) -> ChoiceFigures.Shown? {
        loop.advanceTime(to: .uptimeNanoseconds(UInt64(second) * 1_000_000_000))
        for report in reports { play(report) }
        guard let location = shown.withLockedValue({ $0 }), let kind = location.sourceInformation?.kind else {
            return nil
        }
        if let lastTime, location.timestamp < lastTime { timesBack += 1 }
        lastTime = location.timestamp
        let point = TangentPlane(at: Self.home).point(of: location.coordinate)
        return .init(
            kind: kind, point: .init(point.x, point.y), radius: location.horizontalAccuracy ?? .infinity,
            second: second)
    }

    private func play(_ report: SyntheticHour.Report) {
        let point = SIMD2(report.point.east, report.point.north)
        guard let source = sources[report.kind], source.demand > .off,
            let coordinate = TangentPlane(at: Self.home).coordinate(of: point)
        else { return }
        let time = Self.time(loop.now)
        var location = Location(coordinate: coordinate, timestamp: time)
        location.horizontalAccuracy = report.radius
        location.sourceInformation = .init(kind: report.kind)
        switch report.kind {
        case .receiver, .modem:
            source.report(
                .receiver(
                    .position(.init(device: "simulated", mode: .threeDimensional, time: time, location: location)),
                    clock: nil))
        case .wifi, .fixed, .unknown: source.report(.location(location, freshFor: .seconds(90)))
        }
    }
}
