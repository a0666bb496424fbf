import ArgumentParser
import CommandLineSupport
import FleetModel
import Glibc
import LinuxPlumbing
import LocationModel
import POSIXSupport
import SharingProgram

/// `locationctl fleet watch`.
struct FleetWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print a line when a vehicle enters or leaves an area.",
        discussion: """
            The areas are those that you have drawn on the map: locationctl map --open --fleet BROKER. Runs until it is interrupted. A \
            broker that is away is tried again.
            """)

    @OptionGroup var broker: FleetBroker

    @Option(
        help: ArgumentHelp(
            "Only this area, by its name; several times for several (default: all areas).", valueName: "name"))
    var area: [String] = []

    @Option(help: ArgumentHelp("The output format: text or json, an object in a line.", valueName: "format"))
    var format = PlainFormat.text

    func run() async throws {
        let areas = try Self.areas(named: area)
        let reader = try broker.reader()
        let (reading, writing) = try DescriptorIO.pipe()
        let (format, origin) = (format, reader.origin)
        try DetachedThread.start(name: "alarms") {
            Self.print(from: reading, areas, format, origin)
            close(reading)
        }
        var generator = SystemRandomNumberGenerator()
        reader.follow(into: FleetPipe(to: writing), using: &generator)
    }

    /// The user's areas with these names, or all of them.
    private static func areas(named names: [String]) throws -> [FleetArea] {
        var document = FleetAreaDocument()
        if let path = FleetAreaFile.standardPath {
            do {
                document = try FleetAreaDocument(try SmallFile.read(path, limit: FleetAreaDocument.longest))
            } catch let error as Errno {
                guard error.code == ENOENT else { throw ShareRefusal("\(path.shown()) cannot be read: \(error).") }
            } catch let error as FleetAreaDocument.Flaw {
                throw ShareRefusal("\(path.shown()) cannot be used: \(error.reason).")
            }
        }
        let known = document.areas
        guard !known.isEmpty else {
            throw ShareRefusal("There are no areas. To draw one, run: locationctl map --open --fleet BROKER")
        }
        for name in names where !known.contains(where: { $0.name == name }) {
            throw ShareRefusal(
                "There is no area \(name.quoted(limit: 64)). Give one of: "
                    + known.prefix(10).map { $0.name.quoted(limit: 64) }.joined(separator: ", ")
                    + (known.count > 10 ? ", …" : ""))
        }
        return names.isEmpty ? known : known.filter { names.contains($0.name) }
    }

    /// Prints the alarms of the vehicles it reads, until the end.
    private static func print(from descriptor: CInt, _ areas: [FleetArea], _ format: PlainFormat, _ origin: String) {
        var fleet = Fleet()
        fleet.setAreas(areas)
        var decoder = FleetFeed.Decoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, let items = try? decoder.take(buffer[..<count]) else { return }
            let now = Timestamp.now()
            for item in items {
                switch item {
                case .connected:
                    Terminal.complain(
                        "Watching \(areas.count) \(areas.count == 1 ? "area" : "areas") for the vehicles at \(origin).")
                case .interrupted(let words): Terminal.complain(words.shown(limit: 4096))
                case .message(let topic, let payload, let isRetained, let expiry):
                    fleet.take(payload, topic: topic, isRetained: isRetained, expiry: expiry, at: now)
                }
                for alarm in fleet.takeAlarms() {
                    switch format {
                    case .text: Terminal.say(FleetWords.line(about: alarm))
                    case .json:
                        if let line = try? JSONLine.encode(FleetAlarmReport(alarm, at: now)) { Terminal.say(line) }
                    }
                }
            }
        }
    }
}

/// An alarm for programs.
struct FleetAlarmReport: Encodable {
    var event: FleetAlarm.Kind
    /// The area's name, as the user wrote it.
    var area: String
    /// The vehicle, with the position that shows it.
    var vehicle: FleetReport

    init(_ alarm: FleetAlarm, at now: Timestamp) {
        (event, area, vehicle) = (alarm.kind, alarm.area.name, FleetReport(alarm.vehicle, at: now))
    }
}
