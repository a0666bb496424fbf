package import LocationConfiguration
package import LocationInterface
import LocationSources

// Conversions to the types of the interfaces.

extension ManagerInterface.ConfigurationProblem {
    package init(_ problem: ConfigurationProblem) {
        self.init(file: problem.file, line: problem.line, keyPath: problem.keyPath, message: problem.message)
    }
}

extension ManagerInterface.Source {
    init(_ status: SourceStatus) {
        let state: State =
            switch status.connection {
            case .idle, .closed: .idle
            case .connecting: .connecting
            case .connected: .connected
            case .retrying: .waiting
            }
        self.init(
            name: status.endpoint, state: state, version: status.version, problem: status.lastError,
            receivers: status.receivers.map(ManagerInterface.Receiver.init),
            counters: [
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
    }
}
