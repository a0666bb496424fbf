import GPSDProtocol
import LinuxPlumbing
import LocationConfiguration
import LocationModel
import LocationSources
import Logging
import NIOCore
import WiFiPositioning
import WiFiScanning

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

    /// The setting of a source in a configuration. A source whose setting is equal in a new configuration continues.
    private enum Setting: Hashable {
        case gpsd(GPSDAddress)
        case modem
        case replay
        case fixed(FixedLocation?)
        /// A change of the server's name drops the answers of the last one.
        case wifi(server: String?)
    }

    let instead: Instead?
    let eventLoop: any EventLoop
    let logger: Logger
    /// The bus that the sources share with other parts.
    private let bus: SystemBus

    init(instead: Instead?, bus: SystemBus, logger: Logger) {
        (self.instead, self.bus, self.logger) = (instead, bus, logger)
        eventLoop = bus.eventLoop
    }

    /// The sources that a configuration names, in its order.
    func definitions(_ configuration: DaemonConfiguration) -> [SourceDefinition] {
        switch instead {
        case .gpsd(let address): [gpsd(address)]
        case .replay(let track, let speed):
            [
                SourceDefinition(Setting.replay) {
                    ReplaySource(track: track, pace: speed, context: context($0))
                }
            ]
        case nil:
            configuration.gpsd.map { gpsd($0.address) }
                + [
                    configuration.usesModem ? modem() : nil, configuration.usesWiFi ? wifi() : nil,
                    fixed(configuration.fixedPosition),
                ].compactMap(\.self)
        }
    }

    /// Makes the machine's compass, unless the one source on the command line is not this machine's.
    var compass: ((_ report: @escaping @Sendable (Heading) -> Void) -> any HeadingSource)? {
        guard instead == nil else { return nil }
        return { CompassSource(bus: bus, logger: logger, report: $0) }
    }

    private func context(_ report: @escaping @Sendable (SourceReport) -> Void) -> SourceContext {
        SourceContext(eventLoop: eventLoop, logger: logger, report: report)
    }

    private func modem() -> SourceDefinition {
        SourceDefinition(Setting.modem) { ModemSource(bus: bus, context: context($0)) }
    }

    private func gpsd(_ address: GPSDAddress) -> SourceDefinition {
        SourceDefinition(Setting.gpsd(address)) { GPSDSource(endpoint: address, context: context($0)) }
    }

    private func wifi() -> SourceDefinition {
        // A file that is refused is the other program's to report, when it is asked.
        let server = try? NetworkConfiguration.load(file: NetworkConfiguration.defaultFile)?.server.name
        return SourceDefinition(Setting.wifi(server: server)) {
            WiFiSource(
                scanner: NetworkManagerScanner(on: bus), service: NetworkPositioningClient(eventLoop: eventLoop),
                server: server, context: context($0))
        }
    }

    private func fixed(_ position: DaemonConfiguration.FixedPosition) -> SourceDefinition? {
        let (setting, origin): (Setting, FixedSource.Origin)
        switch position {
        case .configured(let location): (setting, origin) = (.fixed(location), .configured(location))
        case .geolocationFile: (setting, origin) = (.fixed(nil), .file(path: GeolocationFile.path) { .geolocationFile })
        case .inDoubt: return nil
        }
        return SourceDefinition(setting) { FixedSource(origin: origin, context: context($0)) }
    }
}

extension FixedSource.FileResult {
    /// The result of reading GeoClue's file now.
    fileprivate static var geolocationFile: Self {
        do throws(GeolocationFile.Refusal) {
            return try GeolocationFile.read().map { .location($0) } ?? .none
        } catch {
            return switch error {
            case .malformed: .malformed("\(error)")
            case .untrusted: .refused("\(error)")
            }
        }
    }
}
