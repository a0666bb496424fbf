import LocationInterface
import LocationModel
import TestSupport
import Testing

@Suite(
    "A receiver, gpsd, locationd, locationctl", .enabled(if: GPSD.isInstalled, "gpsd is not installed"),
    .timeLimit(.minutes(5)))
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
}
