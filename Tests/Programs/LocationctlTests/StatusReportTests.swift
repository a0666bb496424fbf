import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite("The text of status", .timeLimit(.minutes(10)))
struct StatusReportTests {
    private typealias Reply = ManagerInterface.GetServiceStatus.Reply

    /// What root sees of a service at work.
    private static let full: Reply = {
        var source = ManagerInterface.Source(
            kind: .receiver, name: "/run/gpsd-client.sock", state: .connected, isCurrent: true, version: "3.22",
            problem: nil, receivers: [],
            counters: [:])
        var receiver = ManagerInterface.Receiver(device: "/dev/ttyACM0", isCurrent: true, mode: .fix3D)
        (receiver.driver, receiver.satellitesUsed, receiver.satellitesSeen) = ("u-blox", 9, 12)
        receiver.fixAge = 0.44
        source.receivers = [receiver]
        source.counters = ["rejectedLines": 2, "reconnects": 0]
        var reply = Reply(
            version: "1.0", sources: [source], isLocationAvailable: true, isEnabled: true, isEnabledForUser: true,
            hasAgent: true, connections: 4, subscriptions: 1, clients: 13,
            deliveries: .init(
                publications: 70, offered: 0, repeated: 0, delivered: 50, skipped: 5, filtered: 0, forbidden: 6,
                answered: 7, frames: 0, framesSkipped: 0),
            memoryInUse: 3_140_000, problems: [.init(file: "/etc/l.plist", line: 3, keyPath: "Colour", message: "No.")])
        reply.frontEnds = [.init(name: "GeoClue")]
        return reply
    }()

    private func lines(_ change: (inout Reply) -> Void = { _ in }) -> [String] {
        var reply = Self.full
        change(&reply)
        return StatusReport.lines(reply)
    }

    @Test("everything that the service reports is shown")
    func everything() {
        #expect(
            lines() == [
                "locationd 1.0: a location is known",
                "  services      on",
                "  source        /run/gpsd-client.sock, gpsd 3.22, connected",
                "  receiver      /dev/ttyACM0, u-blox, 3D fix, 9 of 12 satellites, last fix 0.4 s ago (in use)",
                "  dropped       rejectedLines 2",
                "  clients       13 declared, 4 connections, 1 subscription",
                "  prompts       an agent shows them to you",
                "  front end     GeoClue: open",
                "  locations     70 from the source, 50 delivered, 7 answered, 5 skipped, 6 without access",
                "  memory        3.1 MB in use",
                "  refused       /etc/l.plist:3: Colour: No.",
            ])
    }

    @Test("doubts about a receiver stand below it")
    func doubts() {
        let lines = lines {
            $0.sources[0].receivers[0].doubts = [.init(sign: .antennaFault, message: "Its antenna is broken.", age: 3)]
        }
        #expect(lines[4] == "  doubtful      Its antenna is broken.")
    }

    @Test("services that are off are shown with the command that switches them on")
    func servicesOff() {
        #expect(
            lines { $0.isEnabledForUser = false }[1]
                == "  services      off for you. To switch them on, run: locationctl on")
        let machine = "  services      off for this machine. To switch them on, run: sudo locationctl on --system"
        #expect(lines { $0.isEnabled = false }[1] == machine)
        #expect(lines { ($0.isEnabled, $0.isEnabledForUser) = (false, false) }[1] == machine)
    }

    @Test("the reason for the missing heading of the compass is shown")
    func compass() {
        #expect(lines { $0.compassProblem = "It is broken." }.contains("  compass       It is broken."))
    }

    @Test("a failure is shown until the source is connected again")
    func problem() {
        let problem = "127.0.0.1:2947 has closed the connection."
        let states: [ManagerInterface.Source.State] = [.idle, .connecting, .waiting]
        for state in states {
            let shown = lines { ($0.sources[0].state, $0.sources[0].problem) = (state, problem) }
            #expect(shown.contains("                \(problem)"))
        }
        #expect(!lines { $0.sources[0].problem = problem }.joined().contains("closed"))
    }

    @Test("a closed front end is shown with its reason, and a source without a receiver as such")
    func closedFrontEnd() {
        #expect(
            lines { $0.frontEnds = [.init(name: "GeoClue", problem: "No bus.")] }.contains(
                "  front end     GeoClue: No bus."))
        #expect(lines { $0.hasAgent = false }.contains("  prompts       no agent shows them to you"))
        #expect(lines { $0.sources[0].receivers = [] }.contains("  receiver      none"))
    }

    @Test("a program that may not see receivers is not told that there are none")
    func bare() {
        let shown = lines {
            $0.sources[0].receivers = []
            ($0.isLocationAvailable, $0.connections, $0.subscriptions) = (nil, nil, nil)
            ($0.deliveries, $0.memoryInUse, $0.problems) = (nil, nil, [])
        }
        #expect(shown.first == "locationd 1.0")
        #expect(!shown.contains { $0.contains("none") || $0.hasPrefix("  locations") })
        #expect(
            shown.filter { $0.hasPrefix("  receiver") } == [
                "  receiver      shown to root, and to who allows locationctl the exact location. To see why it is not, run: "
                    + "locationctl explain org.locationd.locationctl"
            ])
        #expect(shown.contains("  clients       13 declared"))
    }
}
