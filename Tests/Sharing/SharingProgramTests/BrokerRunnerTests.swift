import FoundationEssentials
import Glibc
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

/// Runs `body` with a user who has added a broker as the destination `depot`.
private func withDepot(_ body: (SharingSite, Broker) async throws -> Void) async throws {
    let broker = try await Broker()
    try await SharingSite.with { site in
        let file = site.home.path + "/key"
        try "van:secret\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await site.share(
            "add", "depot", "mqtt", broker.address, "--url-file", file, "--ca", Webhooks.authority, "--user-name",
            "fleet", "--device", "van")
        try await body(site, broker)
    }
}

@Suite("Sharing, from the location service to the reader of a broker", .timeLimit(.minutes(10)))
struct BrokerRunnerTests {
    @Test("a share publishes the position, and its end clears it at the broker")
    func life() async throws {
        try await withDepot { site, broker in
            let reader = try await broker.reader()
            #expect(try await site.share("check", "depot").contains("lets it publish to owntracks/fleet/van"))
            #expect(try await reader.message().content?._type == "lwt")
            let started = try await site.share("start", "depot", "--for", "2h", "--no-service")
            #expect(started.contains("even if this machine cannot be reached then"))
            let program = try await site.run()
            let message = try await reader.message()
            #expect(abs(try #require(message.content?.lat) - DaemonSite.latitude) < 0.01)
            #expect(message.retained == true && message.expiry.map { $0 <= 7200 } == true)
            try await site.share("stop", "depot")
            while try await reader.message().payload != "" { continue }
            #expect(try await program.exitCode() == 0)
            #expect(try site.directory.state(of: "depot").isShowing == false)
        }
    }

    @Test(
        "a share delivers all positions sent while the broker is away, in order, where a bridge of Mosquitto's loses a third"
    )
    func bridge() async throws {
        let count = 1500
        try await withDepot { site, broker in
            let reader = try await broker.reader(session: "recorder")
            let bridge = try await Broker(bridgedTo: broker)
            try await bridge.publish(1, to: "owntracks/bridge/first")
            while try await reader.message().topic != "owntracks/bridge/first" { continue }
            try await broker.kill()
            // The vehicle's own broker acknowledges each of them.
            try await bridge.publish(count, to: "owntracks/bridge/van")
            try await site.share("start", "depot", "--keep-unsent", "--no-service")
            let kept = try site.fillQueue(count, of: "depot").map {
                String($0.location.timestamp.nanosecondsSince1970 / 1_000_000, radix: 16)
            }
            try await broker.start()
            let program = try await site.run()
            var (delivered, bridged, isLast): ([String], Set<String>, Bool) = ([], [], false)
            while delivered.count < kept.count || !isLast {
                let message = try await reader.message()
                let id = message.content?._id ?? ""
                switch message.topic {
                case "owntracks/bridge/last": isLast = true
                case "owntracks/bridge/van":
                    bridged.insert(id)
                    // There is room for it in the bridge's queue by now, and it comes after all others.
                    if bridged.count == 500 { try await bridge.publish(1, to: "owntracks/bridge/last") }
                default: if kept.contains(id) { delivered.append(id) }
                }
            }
            #expect(delivered == kept)
            #expect(bridged.count < count)
            try await site.share("stop", "depot")
            #expect(try await program.exitCode() == 0)
        }
    }

    @Test("a name that Home Assistant accepts in no topic is refused, and an accepted one is named with it")
    func discoveryNames() async throws {
        try await withDepot { site, broker in
            let add = [
                "mqtt", broker.address, "--certificate", Webhooks.authority, "--certificate-key", Webhooks.authority,
            ]
            let refused = try await site.attempt(["add", "other"] + add + ["--home-assistant", "--device", "van 7"])
            #expect(refused.code == 1 && refused.errors.contains("letters, digits, - and _ only"))
            let added = try await site.attempt(
                ["add", "other"] + add + ["--home-assistant", "--user-name", "fleet", "--device", "van7"])
            #expect(added.output.contains("as owntracks/fleet/van7, where Home Assistant discovers it."))
        }
    }

    @Test("an approximate share publishes neither the position nor the movement")
    func approximate() async throws {
        try await withDepot { site, broker in
            let reader = try await broker.reader()
            try await site.share("start", "depot", "--accuracy", "reduced", "--no-service")
            let program = try await site.run()
            let content = try #require(try await reader.message().payload)
            #expect(content.contains(#""acc":"#) && !content.contains("vel") && !content.contains("alt"))
            #expect(!content.contains("\(DaemonSite.latitude)".prefix(7)))
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test(
        "a program that is killed, alone or in turn with the broker, loses no kept position, and readers can identify repeated ones",
        arguments: [false, true])
    func killed(withBroker: Bool) async throws {
        let positionsPerLife = 40
        let times = ProcessInfo.processInfo.environment["LOCATIOND_TEST_FULL"] == nil ? 5 : 20
        try await withDepot { site, broker in
            // It stays the reader of the broker over all of its lives.
            let reader = try await broker.reader(session: "recorder")
            try await site.share("start", "depot", "--keep-unsent", "--no-service")
            let kept = try site.fillQueue((2 * times + 1) * positionsPerLife, of: "depot").map {
                String($0.location.timestamp.nanosecondsSince1970 / 1_000_000, radix: 16)
            }
            var received: [String: Int] = [:]
            var order: [String] = []
            func receive(_ count: Int) async throws {
                var count = count
                while count > 0 {
                    let message = try await reader.message()
                    guard let content = message.content, let id = content._id, kept.contains(id) else { continue }
                    #expect(message.retained == false)
                    if received[id] == nil {
                        order.append(id)
                        count -= 1
                    }
                    received[id, default: 0] += 1
                }
            }
            for _ in 0..<times {
                let program = try await site.run()
                try await receive(positionsPerLife)
                if withBroker { try await broker.restart() }
                try await receive(positionsPerLife)
                program.signal(SIGKILL)
                _ = try await program.exitCode()
            }
            let program = try await site.run()
            try await receive(kept.count - received.count)
            #expect(order == kept)
            // A broker that was killed sends again what it has not noted as received.
            let repeated = received.values.reduce(-received.count, +)
            #expect(withBroker || repeated <= times * SharingService.mqtt.batchLimit, "\(repeated)")
            try await site.share("stop", "depot")
            #expect(try await program.exitCode() == 0)
        }
    }
}
