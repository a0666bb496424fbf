import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

@Suite(
    "A receiver, gpsd, locationd, locationctl", .enabled(if: GPSD.isInstalled, "gpsd is not installed"),
    .timeLimit(.minutes(10)))
struct ReceiverTests {
    private func expectLocations(from gpsd: GPSD, _ receiver: SerialReceiver) async throws {
        let daemon = try await DaemonSite().start(gpsd: gpsd.address)
        let get = try await daemon.site.locationctl("get", "--format", "json")
        try #require(get.code == 0, "\(get.errors)")
        let watch = try await daemon.site.locationctl("watch", "--count", "5", "--format", "json")
        let lines = (get.output + watch.output).split(separator: "\n").filter { !$0.contains("diagnostic") }
        let locations = try lines.map { try json(String($0), as: Location.self) }
        try #require(locations.count == 6)
        for location in locations {
            #expect(abs(location.coordinate.latitude - SerialReceiver.latitude) < 1e-6)
            #expect(abs(location.coordinate.longitude - SerialReceiver.longitude) < 1e-6)
            #expect(location.sourceInformation == .init(kind: .receiver, device: receiver.path))
        }
        // The first that is watched may be the one that was got.
        #expect(locations[0].timestamp <= locations[1].timestamp)
        #expect(zip(locations.dropFirst(), locations.dropFirst(2)).allSatisfy { $0.timestamp < $1.timestamp })

        let status = try await daemon.site.locationctl("status")
        for words in [gpsd.address, receiver.path, "gpsd 3."] { #expect(status.output.contains(words)) }
        try await gpsd.stop()
        let (code, log) = try await daemon.stop()
        #expect(code == 0)
        #expect(!log.contains("48.13") && !log.contains("11.57"))
    }

    @Test func overTCP() async throws {
        let (directory, receiver) = (try TemporaryDirectory(), try await SerialReceiver())
        try await expectLocations(from: .overTCP(in: directory, reading: receiver), receiver)
    }

    @Test func overAUnixSocket() async throws {
        let (directory, receiver) = (try TemporaryDirectory(), try await SerialReceiver())
        try await expectLocations(from: .overUnixSocket(in: directory, reading: receiver), receiver)
    }

    @Test("of two gpsds the other takes over when one ends, no time goes backwards, and a restarted one is used again")
    func twoServers() async throws {
        let places = try await [Place(), Place()]
        var servers = [try await places[0].start(), try await places[1].start()]
        let site = try DaemonSite(["GPSD": .array(servers.map { ["Socket": .string($0.address)] })])
        let daemon = try await site.start(replay: [])
        let watch = try await ChildProcess(
            [Products.locationctl, "watch", "--format", "json", "--socket", site.socket])
        var times: [Timestamp] = []
        /// Reads on to a location from another place than `index`.
        func locations(untilNotFrom index: Int?) async throws -> Int {
            while let line = try await watch.output.receive() {
                guard !line.contains("diagnostic") else { continue }
                let location = try json(line, as: Location.self)
                times.append(location.timestamp)
                let place = try #require(places.firstIndex { $0.receiver.path == location.sourceInformation?.device })
                if place != index { return place }
            }
            throw AwaitedInVain("a location from elsewhere", because: try await watch.errors.rest())
        }
        let first = try await locations(untilNotFrom: nil)
        let status = try await site.locationctl("status").output
        for server in servers { #expect(status.contains(server.address), "\(status)") }
        try await servers[first].stop()
        let second = try await locations(untilNotFrom: first)
        servers[first] = try await places[first].start()
        try await servers[second].stop()
        #expect(try await locations(untilNotFrom: second) == first)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        watch.signal(SIGTERM)
        try await servers[first].stop()
        try await daemon.stop()
    }

    /// A receiver, and the directory of the gpsd that reads it.
    private struct Place {
        let directory: TemporaryDirectory
        let receiver: SerialReceiver

        init() async throws {
            directory = try TemporaryDirectory()
            receiver = try await SerialReceiver()
        }

        func start() async throws -> GPSD { try await .overUnixSocket(in: directory, reading: receiver) }
    }
}
