import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import Testing

@testable import Varlink

@Suite("Subscriptions", .timeLimit(.minutes(10)))
struct SubscriptionTests {
    @Test("every subscriber gets every location", arguments: Transport.allCases)
    func everySubscriberGetsEveryLocation(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peers = [try await daemon.subscribe(), try await daemon.subscribe(as: .example(user: 1))]
            try await daemon.emit(Fix(number: 1).event, Fix(number: 2, accuracy: nil).event)
            for peer in peers {
                try await peer.expect(Fix(number: 1).delivery())
                try await peer.expect(Fix(number: 2, accuracy: nil).delivery())
            }
        }
    }

    @Test("a later subscriber gets the current location at once", arguments: Transport.allCases)
    func laterSubscriberGetsCurrentLocation(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let first = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await first.expect(Fix(number: 1).delivery())
            try await daemon.subscribe().expect(Fix(number: 1).delivery())
            try await daemon.emit(.unavailable(.silent))
            try await daemon.subscribe().expect(diagnostic("locationUnavailable"))
        }
    }

    @Test("the distance filter withholds locations near the last delivered one", arguments: Transport.allCases)
    func distanceFilter(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            // A thousandth of a degree of latitude is 111 m.
            let peer = try await daemon.subscribe(#"{"distanceFilter":300}"#)
            for number in [0, 1, 2, 3, 4, 5, 4, 2, 0] { try await daemon.emit(Fix(number: number).event) }
            for number in [0, 3, 0] { try await peer.expect(Fix(number: number).delivery()) }
        }
    }

    @Test("the desired accuracy withholds less accurate locations", arguments: Transport.allCases)
    func accuracyFilter(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe(#"{"desiredAccuracy":10}"#)
            let accuracies = [10.5, 10, nil, 100, 1]
            for (number, accuracy) in accuracies.enumerated() {
                try await daemon.emit(Fix(number: number, accuracy: accuracy).event)
            }
            for number in [1, 2, 4] {
                try await peer.expect(Fix(number: number, accuracy: accuracies[number]).delivery())
            }
        }
    }

    @Test("headings are sent only to subscriptions that want them", arguments: Transport.allCases)
    func headingsAreSentOnRequestOnly(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let wanting = try await daemon.subscribe(#"{"heading":true}"#)
            let others = [try await daemon.subscribe(), try await daemon.subscribe(#"{"heading":false}"#)]
            let time = Timestamp("2026-11-21T08:30:00Z")!
            try await daemon.emit(.heading(Heading(trueHeading: 271.5, timestamp: time)), Fix(number: 1).event)
            let heading = #"{"trueHeading":271.5,"timestamp":"2026-11-21T08:30:00.000Z"}"#
            try await wanting.expect(#"{"parameters":{"heading":\#(heading)},"continues":true}"#)
            for peer in [wanting] + others { try await peer.expect(Fix(number: 1).delivery()) }
        }
    }

    @Test("the heading filter withholds similar headings", arguments: Transport.allCases)
    func headingsThatDifferEnough(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe(#"{"heading":true,"headingFilter":5}"#)
            for degrees in [10.5, 14, 15.5] {
                try await daemon.emit(
                    .heading(Heading(trueHeading: degrees, timestamp: Timestamp("2026-11-21T08:30:00Z")!)))
            }
            for degrees in [10.5, 15.5] {
                #expect(try await peer.next()["parameters"]?["heading"]?["trueHeading"] == .number(degrees))
            }
        }
    }

    /// What follows a diagnostic is delivered even if it is near: it says that locations are back.
    @Test("the first location after a diagnostic passes the filters", arguments: Transport.allCases)
    func firstLocationAfterDiagnosticPassesFilters(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe(#"{"distanceFilter":1000}"#)
            try await daemon.emit(
                Fix(number: 0).event, .unavailable(.silent), Fix(number: 1).event, Fix(number: 2).event)
            try await peer.expect(Fix(number: 0).delivery())
            try await peer.expect(diagnostic("locationUnavailable"))
            try await peer.expect(Fix(number: 1).delivery())
            try await daemon.emit(Fix(number: 11).event)
            try await peer.expect(Fix(number: 11).delivery())
        }
    }

    @Test("a pause is reported and ends by itself", arguments: Transport.allCases)
    func pauseIsReportedAndEnds(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe(#"{"pausesLocationUpdatesAutomatically":true}"#)
            let stays = [
                Fix(number: 1), Fix(number: 1, later: 60), Fix(number: 1, later: 121), Fix(number: 1, later: 300),
            ]
            for fix in stays + [Fix(number: 2, later: 301)] { try await daemon.emit(fix.event) }
            for fix in stays.prefix(2) { try await peer.expect(fix.delivery()) }
            try await peer.expect(diagnostic("stationary"))
            try await peer.expect(Fix(number: 2, later: 301).delivery())
        }
    }

    @Test("significant changes need always", arguments: Transport.allCases)
    func significantChangesNeedAlways(transport: Transport) async throws {
        let always = ClientDeclaration.example()
        let whileUsed = ClientDeclaration.example(
            "org.example.Part", executable: "/part", policy: .preset(.whenInUse))
        try await DaemonUnderTest.run(transport, clients: [always, whileUsed]) { daemon in
            let peer = try await daemon.subscribe(#"{"significantChanges":true}"#)
            let refused = try await daemon.subscribe(#"{"significantChanges":true}"#, as: .example("/part"))
            try await refused.expect(diagnostic("authorizationDenied"))
            // A number is 111 m.
            for number in [0, 3, 4, 5, 6] { try await daemon.emit(Fix(number: number).event) }
            for number in [0, 5] { try await peer.expect(Fix(number: number).delivery()) }
        }
    }

    @Test("each cause of a missing location is reported once until the next location", arguments: Transport.allCases)
    func unavailable(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe()
            for number in 1...2 {
                try await daemon.emit(
                    .unavailable(.noReceiver), .unavailable(.noReceiver), .unavailable(.noFix),
                    Fix(number: number).event)
                for reason in ["noReceiver", "noFix"] {
                    let reply = try await peer.next()
                    #expect(reply["parameters"]?["diagnostic"] == .string("locationUnavailable"))
                    #expect(reply["parameters"]?["cause"]?["reason"] == .string(reason))
                }
                try await peer.expect(Fix(number: number).delivery())
            }
        }
    }

    @Test("the source is needed only while there is a subscription", arguments: Transport.allCases)
    func sourceIsNeededOnlyBySubscribers(transport: Transport) async throws {
        try await DaemonUnderTest.run(
            transport, clients: [.example(), .example("org.example.No", executable: "/no", policy: .restricted)]
        ) {
            daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            // Who may not know needs nothing.
            let refused = try await daemon.subscribe(as: .example("/no"))
            let peers = [try await daemon.subscribe(), try await daemon.subscribe()]
            #expect(await needs.next() == true)
            await peers[0].close()
            await peers[1].close()
            #expect(await needs.next() == false)
            let asking = try await daemon.connect()
            try await asking.call("Location.GetLocation")
            #expect(await needs.next() == true)
            try await daemon.emit(Fix(number: 1).event)
            try await asking.expect(Fix(number: 1).answer)
            #expect(await needs.next() == false)
            try await refused.expect(diagnostic("authorizationRestricted"))
        }
    }

    /// Whatever the buffers between them hold: every location is delivered or counted, and the newest is delivered.
    @Test(
        "a slow reader gets the newest location, and every other one is delivered or counted",
        arguments: Transport.allCases)
    func slowReaderGetsNewestAndCount(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let (slow, other) = (try await daemon.subscribe(), try await daemon.subscribe())
            let published = 500
            try await slow.stopReading()
            for number in 1...published {
                try await daemon.emit(Fix(number: number).event)
                try await other.expect(Fix(number: number).delivery())
            }
            try await slow.resumeReading()
            var (delivered, skipped) = (0, 0)
            var last: JSONValue?
            while last != .string(Fix(number: published).time) {
                let reply = try await slow.next()
                last = reply["parameters"]?["location"]?["timestamp"]
                delivered += 1
                if case .integer(let count) = reply["parameters"]?["skipped"] { skipped += Int(count) }
            }
            #expect(delivered + skipped == published)
            #expect(skipped > 400, "a bounded buffer")
            try await daemon.emit(Fix(number: 0).event)
            try await slow.expect(Fix(number: 0).delivery())
        }
    }

    @Test("a slow reader gets the current diagnostic", arguments: Transport.allCases)
    func slowReaderGetsCurrentDiagnostic(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let slow = try await daemon.subscribe()
            try await slow.stopReading()
            for number in 1...500 { try await daemon.emit(Fix(number: number).event) }
            try await daemon.emit(.unavailable(.silent))
            try await slow.resumeReading()
            var (delivered, skipped) = (0, 0)
            var reply = try await slow.next()
            while reply["parameters"]?["diagnostic"] == nil {
                delivered += 1
                reply = try await slow.next()
            }
            if case .integer(let count) = reply["parameters"]?["skipped"] { skipped = Int(count) }
            #expect(reply["parameters"]?["diagnostic"] == .string("locationUnavailable"))
            #expect(delivered + skipped == 500)
        }
    }

    @Test("open streams end with an error when the daemon stops", arguments: Transport.allCases)
    func openStreamsEndWithErrorOnShutdown(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peers = [try await daemon.subscribe(), try await daemon.subscribe()]
            try await daemon.emit(Fix(number: 1).event)
            await daemon.shutdown()
            for peer in peers {
                try await peer.expect(Fix(number: 1).delivery())
                try await peer.expect(#"{"error":"org.locationd.Location.ServiceStopping","parameters":{}}"#)
                #expect(try await peer.receive() == nil)
            }
        }
    }

    @Test("parameters out of range are refused by name", arguments: Transport.allCases)
    func wrongParameters(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect()
            for (parameters, wrong) in [
                (#"{"distanceFilter":-1}"#, "distanceFilter"), (#"{"distanceFilter":"1"}"#, "distanceFilter"),
                (#"{"desiredAccuracy":0}"#, "desiredAccuracy"), (#"{"heading":1}"#, "heading"),
                (#"{"distanceFilter":1e999}"#, "parameters"), (#"{"minimumInterval":-1}"#, "minimumInterval"),
                (#"{"maximumInterval":0}"#, "maximumInterval"), (#"{"maximumError":0.5}"#, "maximumError"),
                (#"{"minimumInterval":86401}"#, "minimumInterval"), (#"{"headingFilter":180.5}"#, "headingFilter"),
                (#"{"pausesLocationUpdatesAutomatically":"yes"}"#, "pausesLocationUpdatesAutomatically"),
                (#"{"significantChanges":1}"#, "significantChanges"),
            ] {
                try await peer.call("Location.Subscribe", parameters, more: true)
                let reply = try await peer.next()
                #expect(reply["error"] == .string("org.varlink.service.InvalidParameter"), "\(parameters)")
                if wrong != "parameters" { #expect(reply["parameters"]?["parameter"] == .string(wrong)) }
            }
            try await peer.call("Location.Subscribe")
            try await peer.expectError("org.varlink.service.ExpectedMore")
        }
    }

    @Test(
        "a subscription whose peer has gone at the first reply is closed, and needs no source",
        arguments: [true, false])
    func goneAtFirstReply(isReduced: Bool) async throws {
        // What a client with reduced accuracy is told first comes before its need is counted.
        let policy = ClientPolicy.preset(.always, accuracy: isReduced ? .reduced : .full)
        try await DaemonUnderTest.run(.socket, clients: [.example(policy: policy)]) { daemon in
            for method in ["Subscribe", "Follow"] {
                for _ in 0..<20 {
                    let peer = try await daemon.connect()
                    try await peer.call("Location.\(method)", more: true)
                    await peer.close()
                }
            }
            // The daemon may have seen all of it already.
            try await daemon.ensure(connections: 0)
            try await daemon.ensure(subscriptions: 0)
            #expect(try await daemon.demand() == .off)
        }
    }
}
