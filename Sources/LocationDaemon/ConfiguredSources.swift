import GPSDProtocol
import LocationConfiguration
import LocationSources
import Logging
import NIOCore

/// Makes the sources that a configuration names.
struct ConfiguredSources: Sendable {
    /// The one source in place of the configured ones, by an option of the command line.
    enum Instead: Sendable {
        case gpsd(GPSDAddress)
        case replay(RecordedTrack, speed: Double)

        init(_ option: Daemon.SourceOverride) throws {
            switch option {
            case .gpsd(let address):
                guard let endpoint = GPSDAddress(address) else { throw DaemonError.unusableAddress(address) }
                self = .gpsd(endpoint)
            case .replay(let file, let speed):
                self = .replay(try RecordedTrack(contentsOfFile: file), speed: speed)
            }
        }
    }

    /// What a configuration says of a source. One whose setting is the same in a new configuration goes on.
    private enum Setting: Hashable {
        case gpsd(GPSDAddress)
        case replay
    }

    let instead: Instead?
    let eventLoop: any EventLoop
    let logger: Logger

    /// The sources that a configuration names, in its order.
    func definitions(_ configuration: DaemonConfiguration) -> [SourceDefinition] {
        switch instead {
        case .gpsd(let address): [gpsd(address)]
        case .replay(let track, let speed):
            [
                SourceDefinition(Setting.replay) {
                    ReplaySource(track: track, pace: speed, eventLoop: eventLoop, logger: logger, report: $0)
                }
            ]
        case nil: configuration.gpsd.map { [gpsd($0)] } ?? []
        }
    }

    private func gpsd(_ address: GPSDAddress) -> SourceDefinition {
        SourceDefinition(Setting.gpsd(address)) {
            GPSDSource(endpoint: address, eventLoop: eventLoop, logger: logger, report: $0)
        }
    }
}
