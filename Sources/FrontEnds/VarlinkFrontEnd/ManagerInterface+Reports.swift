import LocationConfiguration
import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore

// The core's reports as the types of `org.locationd.Manager`.

extension ManagerInterface.ConfigurationProblem {
    init(_ problem: ConfigurationProblem) {
        self.init(file: problem.file, line: problem.line, keyPath: problem.keyPath, message: problem.message)
    }
}

extension ManagerInterface.Source {
    /// - Parameter isFull: false for a peer that may see only the source's name and state.
    fileprivate init(_ status: SourceStatus, isFull: Bool) {
        let state: State =
            switch status.connection {
            case .idle, .closed: .idle
            case .connecting: .connecting
            case .connected: .connected
            case .retrying: .waiting
            }
        self.init(
            kind: Kind(rawValue: status.kind.rawValue), name: status.endpoint, state: state,
            isCurrent: isFull ? status.isCurrent : nil, age: status.age.map { $0 / .seconds(1) }, radius: status.radius,
            requestsToday: status.requestsToday, version: status.version, problem: status.lastError,
            receivers: status.receivers.map(ManagerInterface.Receiver.init),
            counters: !isFull
                ? [:]
                : [
                    "droppedBackward": status.counters.droppedBackward,
                    "lateRefinements": status.counters.lateRefinements,
                    "rejectedLines": status.counters.rejectedLines,
                    "reconnects": status.counters.reconnects,
                ])
    }
}

extension ManagerInterface.Receiver {
    init(_ status: ReceiverStatus) {
        let mode: Mode =
            switch status.mode {
            case .unknown: .unknown
            case .noFix: .noFix
            case .twoDimensional: .fix2D
            case .threeDimensional: .fix3D
            }
        self.init(device: status.device, isCurrent: status.isCurrent, mode: mode)
        driver = status.driver
        satellitesUsed = status.satellitesUsed
        satellitesSeen = status.satellitesSeen
        horizontalDilution = status.horizontalDilution
        positionDilution = status.positionDilution
        fixAge = status.ageOfLastFix.map { $0 / .seconds(1) }
        interval = status.epochInterval.map { $0 / .seconds(1) }
        clockOffset = status.clockOffset.map { $0 / .seconds(1) }
        doubts = status.doubts.isEmpty ? nil : status.doubts.map(ManagerInterface.Doubt.init)
    }
}

extension ManagerInterface.Doubt {
    fileprivate init(_ doubt: SourceDoubt) {
        let sign: Sign =
            switch doubt.sign {
            case .jamming: .jamming
            case .antennaFault: .antennaFault
            case .jump: .jump
            case .timeStep: .timeStep
            case .disagreement: .disagreement
            }
        self.init(sign: sign, message: doubt.sentence, age: doubt.age / .seconds(1))
    }
}

extension ManagerInterface.GetServiceStatus.Reply {
    /// - Parameter satellites: true to list the satellites of each receiver.
    init(_ report: ServiceReport, satellites: Bool) {
        let frontEnds = report.frontEnds.map { ManagerInterface.FrontEnd(name: $0.kind.name, problem: $0.problem) }
        self.init(
            version: serviceVersion,
            sources: report.sources.map { ManagerInterface.Source($0, isFull: report.details != nil) },
            isLocationAvailable: report.details?.isLocationAvailable, isEnabled: report.isEnabled,
            isEnabledForUser: report.isEnabledForUser, isOffAfterDamage: report.isOffAfterDamage ? true : nil,
            hasAgent: report.hasAgent,
            connections: report.details?.connections, subscriptions: report.details?.subscriptions,
            clients: report.clients, deliveries: report.internals.map { ManagerInterface.Deliveries($0.deliveries) },
            memoryInUse: report.internals?.memoryInUse, frontEnds: frontEnds.isEmpty ? nil : frontEnds,
            problems: report.problems.map(ManagerInterface.ConfigurationProblem.init),
            compassProblem: report.details?.compassProblem)
        guard satellites else { return }
        for (source, status) in report.sources.enumerated() {
            for (receiver, status) in status.receivers.enumerated() {
                sources[source].receivers[receiver].satellites = status.satellites.map {
                    ManagerInterface.Satellite(number: $0.number, isUsed: $0.isUsed, signal: $0.signal)
                }
            }
        }
    }
}

extension ManagerInterface.Deliveries {
    fileprivate init(_ counts: DeliveryCounts) {
        self.init(
            publications: counts.publications, offered: counts.offered, repeated: counts.repeated,
            delivered: counts.delivered, skipped: counts.skipped, filtered: counts.filtered,
            forbidden: counts.forbidden, answered: counts.answered, frames: counts.frames,
            framesSkipped: counts.framesSkipped)
    }
}

extension ManagerInterface.Client {
    init(_ report: ClientReport) {
        self.init(
            client: report.client, displayName: report.displayName, file: report.file, userID: Int(report.userID),
            status: report.authorization.status, accuracy: report.authorization.accuracy,
            isConnected: report.isConnected, isInUse: report.isInUse,
            frontEnds: report.frontEnds.isEmpty ? nil : report.frontEnds,
            isProvisional: report.isProvisional ? true : nil, isOnce: report.isOnce ? true : nil,
            until: report.until, untilLogout: report.isUntilLogout ? true : nil,
            resetAt: report.reset?.time,
            resetStatus: report.reset.map { $0.level == .always ? .authorizedAlways : .authorizedWhenInUse },
            lastAccess: report.lastAccess,
            conditions: report.conditions > 0 ? report.conditions : nil,
            watchesVisits: report.watchesVisits ? true : nil,
            recipients: report.recipients.isEmpty ? nil : report.recipients,
            maximumStatus: report.maximumAuthorization == .whenInUse ? .authorizedWhenInUse : nil,
            maximumAccuracy: report.maximumAccuracy == .reduced ? .reduced : nil, application: report.application,
            isQuiet: report.isQuiet ? true : nil)
    }
}

extension ManagerInterface.Access {
    init(_ report: AccessReport) {
        let session = report.session
        self.init(
            client: session.key.client, userID: Int(session.key.userID), from: session.start, to: session.end,
            count: session.count, accuracy: session.accuracy, finestAccuracy: session.finestRadius,
            frontEnd: session.frontEnd,
            sources: session.sources.isEmpty ? nil : session.sources.map(\.rawValue),
            events: session.events > 0 ? session.events : nil,
            recipients: report.recipients.isEmpty ? nil : report.recipients)
    }
}

extension ManagerInterface.CurrentAccess {
    init(_ report: CurrentAccessReport) {
        self.init(
            client: report.client, displayName: report.displayName, userID: Int(report.userID), from: report.start,
            accuracy: report.accuracy, frontEnds: report.frontEnds,
            recipients: report.recipients.isEmpty ? nil : report.recipients, application: report.application,
            isQuiet: report.isQuiet ? true : nil)
    }
}

extension ManagerInterface.SetAuthorization.Reply {
    init(_ report: DecisionReport) {
        self.init(
            status: report.authorization.status, accuracy: report.authorization.accuracy,
            limits: report.limits.map {
                switch $0 {
                case .servicesOffForMachine: ManagerInterface.Limit(reason: .servicesOffForMachine)
                case .servicesOffForUser: ManagerInterface.Limit(reason: .servicesOffForUser)
                case .maximumAuthorization(let file): ManagerInterface.Limit(reason: .maximumAuthorization, file: file)
                case .maximumAccuracy(let file): ManagerInterface.Limit(reason: .maximumAccuracy, file: file)
                case .rule(let id, let sentence):
                    ManagerInterface.Limit(reason: .rule, rule: "\(id)", sentence: sentence)
                }
            })
    }
}

extension ManagerInterface.Explain.Reply {
    init(_ explanation: Explanation) {
        self.init(
            client: explanation.client, status: explanation.authorization?.status,
            accuracy: explanation.authorization?.accuracy,
            steps: explanation.steps.map {
                ManagerInterface.Step(
                    rule: $0.rule, found: $0.found, file: $0.file, keyPath: $0.keyPath, isDecisive: $0.isDecisive)
            })
    }
}
