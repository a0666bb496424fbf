import LocationInterface
import LocationModel
import TestSupport
import Testing

@testable import LocationClient
@testable import Varlink

/// What the library sends about watched places, and what it makes of the answers.
@Suite("LocationMonitor", .timeLimit(.minutes(10)))
struct LocationMonitorTests {
    private let center = Coordinate(latitude: 48.5, longitude: -11.25)!
    private let date = Timestamp("2026-11-21T08:30:00Z")!

    @Test("a circle and a polygon are sent with the monitor, the identifier and the assumed state")
    func added() async throws {
        try await ScriptedService.run { call in
            let parameters = try? call.parameters(as: MonitorInterface.AddCondition.Parameters.self)
            let circle = MonitorInterface.Circle(latitude: 48.5, longitude: -11.25, radius: 100)
            let isCircle =
                parameters
                == .init(monitor: "m", identifier: "a", condition: .init(circle: circle), assuming: .satisfied)
            let isPolygon =
                parameters?.identifier == "b" && parameters?.assuming == nil
                && parameters?.condition.polygon?.ring.count == 3 && parameters?.condition.polygon?.holes == nil
            isCircle || isPolygon ? call.reply() : call.fail(.permissionDenied)
        } test: { path, _ in
            let monitor = LocationMonitor("m", socketPath: path)
            try await monitor.add(
                CircularGeographicCondition(center: center, radius: 100), identifier: "a", assuming: .satisfied)
            let ring = [center, Coordinate(latitude: 49, longitude: -11)!, Coordinate(latitude: 49, longitude: -12)!]
            try await monitor.add(LocationMonitor.PolygonGeographicCondition(ring: ring), identifier: "b")
        }
    }

    @Test("a record has the shape and the last event, and an absent condition has no record")
    func records() async throws {
        let event = MonitorInterface.Event(identifier: "a", state: .unsatisfied, date: date)
        try await ScriptedService.run { call in
            switch call.method {
            case MonitorInterface.GetCondition.name:
                let parameters = try? call.parameters(as: MonitorInterface.GetCondition.Parameters.self)
                let circle = MonitorInterface.Circle(latitude: 48.5, longitude: -11.25, radius: 100)
                call.reply(
                    parameters?.identifier == "a"
                        ? MonitorInterface.GetCondition.Reply(condition: .init(circle: circle), event: event)
                        : MonitorInterface.GetCondition.Reply())
            case MonitorInterface.ListConditions.name:
                call.reply(MonitorInterface.ListConditions.Reply(conditions: [event]))
            default: call.reply()
            }
        } test: { path, _ in
            let monitor = LocationMonitor("m", socketPath: path)
            let record = try await monitor.record(for: "a")
            #expect(record?.condition == .circle(try CircularGeographicCondition(center: center, radius: 100)))
            #expect(record?.lastEvent.state == .unsatisfied)
            #expect(record?.lastEvent.date == date)
            #expect(try await monitor.record(for: "b") == nil)
            #expect(try await monitor.identifiers == ["a"])
            try await monitor.remove("a")
        }
    }

    @Test("events are changes and diagnostics; the confirmation that conditions are watched is not an event")
    func events() async throws {
        try await ScriptedService.run { call in
            typealias Reply = MonitorInterface.WatchConditions.Reply
            call.reply(Reply(), continues: true)
            call.reply(Reply(event: .init(identifier: "a", state: .satisfied, date: date)), continues: true)
            let cause = LocationInterface.Cause(.reducedByUser, message: "Only an approximate location.")
            call.reply(Reply(diagnostic: .accuracyLimited, cause: cause), continues: true)
            call.reply(Reply(), continues: true)
            call.reply(Reply(event: .init(identifier: "b", state: .unknown, date: date)), continues: true)
        } test: { path, service in
            var events: [LocationMonitor.Event] = []
            for try await event in LocationMonitor("m", socketPath: path).events {
                events.append(event)
                if events.count == 3 { break }
            }
            #expect(events.map(\.identifier) == ["a", "", "b"])
            #expect(events.map(\.state) == [.satisfied, .unknown, .unknown])
            #expect(events.map(\.accuracyLimited) == [false, true, false])
            #expect(events.map(\.cause?.message) == [nil, "Only an approximate location.", nil])
            var disconnects = service.disconnects.makeAsyncIterator()
            #expect(await disconnects.next() != nil, "who stops iterating ends the stream")
        }
    }

    @Test("a refused shape is an error with the service's sentence")
    func refused() async throws {
        try await ScriptedService.run { call in
            let error = MonitorInterface.InvalidCondition(reason: .selfCrossing, message: "It crosses itself.")
            call.fail(VarlinkError(name: MonitorInterface.InvalidCondition.name, parameters: error))
        } test: { path, _ in
            let circle = try CircularGeographicCondition(center: center, radius: 100)
            await #expect(throws: LocationError.refused(message: "It crosses itself.")) {
                try await LocationMonitor("m", socketPath: path).add(circle, identifier: "a")
            }
        }
    }

    @Test("visits come on arrival and with their departure, and can be stopped")
    func visits() async throws {
        var visit = MonitorInterface.Visit(
            latitude: 48.5, longitude: -11.25, horizontalAccuracy: 40, arrival: date)
        let arrived = visit
        visit.departure = date.advanced(by: .seconds(600))
        let departed = visit
        try await ScriptedService.run { call in
            guard call.method == MonitorInterface.WatchVisits.name else { return call.reply() }
            call.reply(MonitorInterface.WatchVisits.Reply(), continues: true)
            call.reply(MonitorInterface.WatchVisits.Reply(visit: arrived), continues: true)
            call.reply(MonitorInterface.WatchVisits.Reply(diagnostic: .authorizationDenied), continues: true)
            call.reply(MonitorInterface.WatchVisits.Reply(visit: departed), continues: true)
        } test: { path, _ in
            let manager = LocationManager(socketPath: path)
            var updates: [VisitUpdate] = []
            for try await update in manager.visits() {
                updates.append(update)
                if updates.count == 3 { break }
            }
            #expect(updates.map(\.authorizationDenied) == [false, true, false])
            #expect(updates[0].visit?.coordinate == center)
            #expect(updates[0].visit?.departureDate == nil)
            #expect(updates[2].visit?.departureDate == date.advanced(by: .seconds(600)))
            try await manager.stopMonitoringVisits()
        }
    }
}
