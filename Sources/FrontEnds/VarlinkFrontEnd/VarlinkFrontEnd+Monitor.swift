import LocationConditions
import LocationCore
import LocationInterface
import LocationModel
import LocationStore
import Varlink

// The calls of `org.locationd.Monitor`.

extension VarlinkFrontEnd.Session {
    func monitor(_ call: ServerCall, _ core: Core, _ connection: Connection) throws {
        switch call.method {
        case MonitorInterface.AddCondition.name:
            let parameters = try call.parameters(as: MonitorInterface.AddCondition.Parameters.self)
            try core.addCondition(
                ConditionName(parameters.monitor, parameters.identifier), GeographicCondition(parameters.condition),
                assuming: ConditionState(parameters.assuming ?? .unknown), connection
            ) { call.finish($0) }
        case MonitorInterface.RemoveCondition.name:
            let parameters = try call.parameters(as: MonitorInterface.RemoveCondition.Parameters.self)
            try core.removeCondition(ConditionName(parameters.monitor, parameters.identifier), connection) {
                call.finish($0)
            }
        case MonitorInterface.GetCondition.name:
            let parameters = try call.parameters(as: MonitorInterface.GetCondition.Parameters.self)
            let found = try core.condition(ConditionName(parameters.monitor, parameters.identifier), connection)
            call.reply(
                MonitorInterface.GetCondition.Reply(
                    condition: found.map { MonitorInterface.Condition($0.0) },
                    event: found.map { MonitorInterface.Event($0.1) }))
        case MonitorInterface.ListConditions.name:
            let monitor = try call.parameters(as: MonitorInterface.ListConditions.Parameters.self).monitor
            let reports = try core.conditions(of: monitor, connection)
            var list = EncodedList("conditions")
            for report in reports { list.add(MonitorInterface.Event(report)) }
            call.reply(list)
        case MonitorInterface.WatchConditions.name:
            try call.requireMore()
            let monitor = try call.parameters(as: MonitorInterface.WatchConditions.Parameters.self).monitor
            attach(try core.watchConditions(of: monitor, MonitorStream(call), connection), to: call, core)
        case MonitorInterface.WatchVisits.name:
            try call.requireMore()
            attach(try core.watchVisits(MonitorStream(call), connection), to: call, core)
        case MonitorInterface.StopVisits.name:
            try core.stopVisits(connection) { call.finish($0) }
        default: throw VarlinkError.methodNotImplemented(call.method)
        }
    }

    private func attach(_ stream: WatchStream, to call: ServerCall, _ core: Core) {
        call.onWritable = { core.resume(stream) }
        call.whenGone { core.close(stream) }
    }
}

/// The receiving end of `WatchConditions` or `WatchVisits`.
private struct MonitorStream: WatchObserver {
    private let writer: ReplyWriter

    init(_ call: ServerCall) { writer = call.writer }

    var isReady: Bool { writer.isWritable }

    func send(_ report: ConditionReport) {
        writer.reply(MonitorInterface.WatchConditions.Reply(event: MonitorInterface.Event(report)))
    }

    func send(_ visit: Visit) {
        writer.reply(MonitorInterface.WatchVisits.Reply(visit: MonitorInterface.Visit(visit)))
    }

    /// Its members are the same in the replies of both methods.
    func send(_ diagnostic: LocationDiagnostic?, _ cause: LocationCause?) {
        writer.reply(
            MonitorInterface.WatchConditions.Reply(
                diagnostic: diagnostic, cause: cause))
    }

    func end(_ refusal: Refusal) { writer.fail(VarlinkError(refusal)) }
}

// MARK: Conversions

extension MonitorInterface.Event {
    fileprivate init(_ report: ConditionReport) {
        self.init(
            identifier: report.name.identifier, state: MonitorInterface.State(report.state), date: report.date)
    }
}

extension MonitorInterface.Visit {
    fileprivate init(_ visit: Visit) {
        self.init(
            latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude,
            horizontalAccuracy: visit.horizontalAccuracy, arrival: visit.arrivalDate, departure: visit.departureDate)
    }
}

extension VarlinkError {
    init(_ error: GeographicConditionError) {
        self = Self.error(
            MonitorInterface.InvalidCondition(
                reason: MonitorInterface.InvalidCondition.Reason(rawValue: error.code.rawValue), message: error.message)
        )
    }
}
