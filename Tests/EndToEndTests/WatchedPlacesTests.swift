import FoundationEssentials
import Glibc
import LocationClient
import TestSupport
import Testing

@Suite("Watched places, from the library to the disk", .timeLimit(.minutes(10)))
struct WatchedPlacesTests {
    /// Where the track begins.
    private let start = Coordinate(latitude: DaemonSite.latitude, longitude: DaemonSite.longitude)!

    @Test("conditions and states survive a restart of the service, and each change is reported once")
    func restart() async throws {
        let site = try DaemonSite()
        let first = try await site.start()
        let monitor = LocationMonitor("places", socketPath: site.socket)
        // The whole track is inside.
        try await monitor.add(CircularGeographicCondition(center: start, radius: 5000), identifier: "circle")
        let ring = [(1.0, 1.0), (1, 2), (2, 2)].map { Coordinate(latitude: $0.0, longitude: $0.1)! }
        try await monitor.add(PolygonGeographicCondition(ring: ring), identifier: "polygon")
        let events = Events(monitor)
        let told = try await [events.next("the first event"), events.next("the second event")]
        #expect(Set(told.map(\.identifier)) == ["circle", "polygon"])
        for event in told { #expect(event.state == (event.identifier == "circle" ? .satisfied : .unsatisfied)) }
        #expect(try await monitor.identifiers == ["circle", "polygon"])

        _ = try await first.stop()
        let second = try await site.start()
        let kept = try await monitor.record(for: "polygon")
        #expect(kept?.condition == .polygon(try PolygonGeographicCondition(ring: ring)))
        #expect(kept?.lastEvent == told.first { $0.identifier == "polygon" })
        try await monitor.remove("polygon")
        #expect(try await monitor.record(for: "polygon") == nil)
        // Whatever is told again comes before this.
        try await monitor.add(CircularGeographicCondition(center: start, radius: 5000), identifier: "later")
        #expect(try await events.next("the event of another condition").identifier == "later")
        _ = try await second.stop()
    }

    @Test("a change that was decided and not reported survives SIGKILL of the service, and is reported once")
    func killed() async throws {
        let site = try DaemonSite()
        let first = try await site.start()
        let circle = try CircularGeographicCondition(center: start, radius: 5000)
        let untold = LocationMonitor("untold", socketPath: site.socket)
        let told = LocationMonitor("told", socketPath: site.socket)
        try await untold.add(circle, identifier: "circle")
        try await told.add(circle, identifier: "circle")
        // Both have changed with the same fix, and are on disk before one of them is told.
        #expect(try await Events(told).next("the event of the other monitor").state == .satisfied)
        first.process.signal(SIGKILL)
        _ = try await first.process.exitCode()

        let second = try await site.start()
        let events = Events(untold)
        #expect(try await events.next("the event that was not told").state == .satisfied)
        // Whatever is told again comes before this.
        try await untold.add(circle, identifier: "later")
        #expect(try await events.next("the event of another condition").identifier == "later")
        _ = try await second.stop()
    }

    @Test("locationctl monitor adds, lists and removes places, and prints the changes since the last run, once")
    func command() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            #expect(try await site.locationctl("monitor").output.hasPrefix("No geofence is watched."))
            let (latitude, longitude) = ("\(DaemonSite.latitude)", "\(DaemonSite.longitude)")
            let added = try await site.locationctl("monitor", "add", "here", latitude, longitude, "--radius", "5000")
            #expect(added.code == 0, "\(added.errors)")
            let watch = try await site.locationctl("monitor", "watch", "--count", "1", "--format", "json")
            #expect(watch.output.contains(#""place":"here","state":"satisfied""#))
            #expect(try await site.locationctl("monitor", "list").output.contains("here      inside"))
            #expect(try await site.locationctl("clients").output.contains("1 geofence"))
            #expect(
                try await site.locationctl("explain", "org.locationd.locationctl").output.contains(
                    "1 geofence: watched now"))
            #expect(try await site.locationctl("monitor", "remove", "here").code == 0)
            let gone = try await site.locationctl("monitor", "remove", "here")
            #expect(gone.code == 1)
            #expect(gone.errors.contains("No geofence called here is watched."))
        }
    }
}

/// The events of a monitor that are changes. The connection may be lost meanwhile.
private final class Events {
    private var iterator: LocationMonitor.Events.Iterator

    init(_ monitor: LocationMonitor) { iterator = monitor.events.makeAsyncIterator() }

    func next(_ what: String) async throws -> LocationMonitor.Event {
        while let event = try await iterator.next() {
            if event.date != nil { return event }
        }
        throw AwaitedInVain(what, because: "the stream has ended")
    }
}
