import LocationModel
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import SourceSimulation
import Testing

@testable import LocationSources

/// A group of a recorded receiver and simulated Wi-Fi, at a fix a second.
private final class MixedSources {
    private let loop = EmbeddedEventLoop()
    private let group: SourceGroup
    private let told = NIOLockedValueBox<[Location]>([])
    private var sources: [Location.SourceInformation.Kind: SimulatedSource] = [:]
    private let unpacker = GPSDUnpacker()
    private var seconds = 0

    init() {
        group = SourceGroup(eventLoop: loop) { [told] event in
            if case .location(let location) = event { told.withLockedValue { $0.append(location) } }
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

    /// Lets a second pass with a line of gpsd, which is lost while there are no satellites, and with an answer of the server
    /// every 30 s: near the truth, or 500 km away. Returns what was published.
    func play(_ line: String?, truth: Location, isServerWrong: Bool) -> [Location] {
        seconds += 1
        loop.advanceTime(by: .seconds(1))
        if let line,
            case .report(let report) = try? unpacker.message(ByteBuffer(string: line), arrival: truth.timestamp)
        {
            sources[.receiver]?.report(.receiver(report, clock: nil))
        }
        if seconds % 30 == 5, let wifi = sources[.wifi], wifi.demand > .off {
            let shift = isServerWrong ? 5.0 : 0.0002
            let latitude = truth.coordinate.latitude + (truth.coordinate.latitude > 0 ? -shift : shift)
            var location = Location(
                coordinate: Coordinate(clampingLatitude: latitude, wrappingLongitude: truth.coordinate.longitude),
                timestamp: truth.timestamp)
            location.horizontalAccuracy = isServerWrong ? 10 : 40
            location.sourceInformation = .init(kind: .wifi)
            wifi.report(.location(location, freshFor: .seconds(90)))
        }
        return told.withLockedValue { told in
            defer { told = [] }
            return told
        }
    }

    func end() { group.shutdown() }
}

@Suite("Recorded receivers beside Wi-Fi", .timeLimit(.minutes(10)))
struct RecordedWithWiFiTests {
    @Test(
        "where the satellites are lost Wi-Fi takes over, no location is in a wrong city, and no time goes backwards",
        arguments: Recording.own)
    func mixed(recording: Recording) throws {
        var fixes: [(line: String, location: Location)] = []
        let unpacker = GPSDUnpacker()
        for line in try recording.check() {
            guard
                case .report(.position(let position)) = try? unpacker.message(
                    ByteBuffer(string: line), arrival: Timestamp(nanosecondsSince1970: 0)),
                let location = position.location, position.time != nil
            else { continue }
            // One a second, as it is played.
            if let last = fixes.last, location.timestamp.duration(since: last.location.timestamp) < .seconds(1) {
                continue
            }
            fixes.append((line, location))
        }
        guard let last = fixes.last else { return }
        let sources = MixedSources()
        defer { sources.end() }
        // As it was recorded, then three minutes without satellites, of which every third answer is wrong.
        var published: [Location] = []
        for fix in fixes { published += sources.play(fix.line, truth: fix.location, isServerWrong: false) }
        #expect(published.allSatisfy { $0.sourceInformation?.kind == .receiver })
        for second in 1...180 {
            var truth = last.location
            truth.timestamp = truth.timestamp.advanced(by: .seconds(second))
            published += sources.play(nil, truth: truth, isServerWrong: second > 60 && (second / 30) % 3 == 0)
        }
        #expect(published.last?.sourceInformation?.kind == .wifi)
        for (one, next) in zip(published, published.dropFirst()) {
            #expect(next.timestamp > one.timestamp)
            #expect(next.distance(from: one) < 5000)
        }
    }
}
