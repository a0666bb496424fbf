import CommandLineSupport
import FoundationEssentials
import Glibc
import LocationClient
import POSIXSupport
import TimeZones

/// Sets the machine's time zone as a `TimeZoneFollower` decides.
struct TimeZoneSetter {
    private let grid: TimeZoneGrid
    private let database = TimeZoneDatabase()
    /// The file with the follower's memory; `nil` to remember nothing.
    private let memoryFile: String?
    /// The file by which agents learn of a change; `nil` for none.
    private let changeFile: String?
    private var follower: TimeZoneFollower
    private var last: (location: Location, time: Timestamp)?
    private var lastComplaint: String?

    init(stateDirectory: String?, runtimeDirectory: String?) throws(LocationError) {
        grid = try InstalledTimeZones.grid()
        memoryFile = stateDirectory.map { "\($0)/memory.json" }
        changeFile = runtimeDirectory.map { "\($0)/change" }
        let content = memoryFile.flatMap { try? SmallFile.read($0, limit: 4096) } ?? []
        // A damaged file is as good as none: the follower begins again.
        let memory = try? JSONDecoder().decode(TimeZoneFollower.Memory.self, from: Data(content))
        follower = TimeZoneFollower(memory: memory ?? .init())
    }

    /// The time after which ``remain()`` is to be called, if no other location comes; `nil` for never.
    var wait: Duration? { follower.wait }

    /// Processes a location, and sets the zone when it is time.
    mutating func receive(_ location: Location) async { await receive(location, at: location.timestamp) }

    /// Notes that the machine has stayed where it was for the time of ``wait``.
    mutating func remain() async {
        guard let last, let wait else { return }
        await receive(last.location, at: last.time.advanced(by: wait))
    }

    private mutating func receive(_ location: Location, at time: Timestamp) async {
        last = (location, time)
        let before = follower.memory
        defer { if follower.memory != before { save(follower.memory, memoryFile, mode: 0o600) } }
        let machineZone = database.machineZone
        var sighting: (zone: String?, isMachineZone: Bool) = (nil, false)
        if let nearby = grid.zones(at: location) {
            sighting = nearby.followed(machineZone: machineZone, by: database)
        }
        if let zone = sighting.zone, !database.knows(zone) {
            complain("The machine's tzdata does not know the time zone \(zone) of the location, so the zone stays.")
            sighting = (nil, false)
        }
        let zone = follower.receive(
            zone: sighting.zone, at: time, machineZone: machineZone,
            isMachineZone: sighting.isMachineZone)
        if let zone { await set(zone, insteadOf: machineZone) }
    }

    private mutating func set(_ zone: String, insteadOf old: String?) async {
        // Before the change, of which timedated notifies the agents.
        save(TimeZoneChange(old: old, new: zone, at: .now()), changeFile, mode: 0o644)
        let service = TimeDateService()
        defer { service.stop() }
        do {
            try await service.start()
            try await service.setTimeZone(zone, isInteractive: false)
            follower.hasSet(zone)
            lastComplaint = nil
            Terminal.complain("Set the time zone to \(zone), instead of \(old ?? "none").")
        } catch {
            follower.hasFailed()
            if let changeFile { unlink(changeFile) }
            let failure = error as? TimeDateService.Failure
            // Any other error is one of the bus.
            let advice = failure.map(\.advice) ?? "It needs the system's message bus, which is in the package dbus."
            let reason = failure?.text ?? "\(error)"
            complain(
                "The time zone could not be set to \(zone): \(reason)\(reason.hasSuffix(".") ? "" : ".")"
                    + (advice.map { " \($0)" } ?? ""))
        }
    }

    /// Prints a sentence, unless it is the last one.
    private mutating func complain(_ sentence: String) {
        guard sentence != lastComplaint else { return }
        lastComplaint = sentence
        Terminal.complain(sentence.shown(limit: 1024))
    }

    private func save(_ value: some Encodable, _ file: String?, mode: UInt32) {
        guard let file else { return }
        do {
            try AtomicFile.write(Array(try JSONLine.encode(value).utf8), to: file, mode: mode)
        } catch {
            Terminal.complain("\(file.shown()) could not be written: \(error)")
        }
    }
}
