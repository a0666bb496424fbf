package import FleetModel
import LocationModel
package import NIOCore
import PageServing
import Synchronization

/// The vehicles of a broker on the pages of a map.
///
/// One feed fills it, from any thread. What a page is sent is made when the page reads (``FleetPage``): one that reads slowly receives the
/// newest positions, and delays nobody.
@MainActor
package final class FleetLayer {
    /// The fleet and the state of the feed, as they have arrived.
    private struct Input {
        var fleet = Fleet(tracksChanges: true)
        var wasRead = false
        var problem: String?
    }

    /// The time between two looks at what has arrived.
    private static let interval = Duration.milliseconds(200)

    weak var map: MapView?
    private nonisolated let input = Mutex(Input())
    private var table = FleetTable()
    private var status = FleetStatus(counts: [], wasRead: false)
    private var pages: [String: FleetPage] = [:]
    private var stateDueAt: ContinuousClock.Instant?
    private var leftOut: [String] = []
    private var alarms = FleetAlarms()
    private let areas: FleetAreaStore?

    /// The bytes a second to each page in the long run.
    private let rate: Double
    /// True if a feed fills it.
    package var isLive = true
    /// Returns what was recorded from one time to another, in seconds since 1970, as JSON for pages: see `RecordedDay`. What it throws is
    /// described to the user. `nil` without recordings.
    package var recording: (@Sendable (_ from: Int, _ to: Int) async throws -> ByteBuffer)?
    /// Called with the vehicles that have entered or left an area.
    package var onAlarms: ([FleetAlarm]) -> Void = { _ in }

    /// - Parameter areas: the path of the file with the areas; `nil` for none.
    package convenience init(areas: String?) { self.init(rate: FleetPage.usualRate, areas: areas) }

    init(rate: Double, areas: String? = nil) {
        self.rate = rate
        self.areas = areas.map(FleetAreaStore.init)
    }

    /// Takes the feed's messages.
    package nonisolated func take(_ items: [FleetFeed], at now: Timestamp = .now()) {
        input.withLock { input in
            for item in items {
                switch item {
                case .connected: (input.wasRead, input.problem) = (true, nil)
                case .interrupted(let words): input.problem = words
                case .message(let topic, let payload, let isRetained, let expiry):
                    input.fleet.take(payload, topic: topic, isRetained: isRetained, expiry: expiry, at: now)
                }
            }
        }
    }

    /// Keeps the pages current until the task is cancelled.
    package func run() async {
        readAreas()
        while (try? await Task.sleep(for: Self.interval)) != nil { update(at: .now(), .now) }
    }

    /// Takes in what has arrived, and lets the pages read it.
    func update(at now: Timestamp, _ instant: ContinuousClock.Instant) {
        let new = input.withLock { $0.fleet.takeAlarms() }
        if !new.isEmpty {
            alarms.add(new)
            onAlarms(new)
        }
        guard let map, !map.hub.isEmpty else { return }
        let (changes, wasRead, problem, flaws) = input.withLock { input in
            (input.fleet.takeChanges(at: now), input.wasRead, input.problem, input.fleet.flaws)
        }
        table.update(changes, at: now)
        if stateDueAt.map({ $0 <= instant }) ?? true {
            table.advance(to: now)
            stateDueAt = instant.advanced(by: .seconds(1))
            leftOut = FleetMessageFlaw.sentences(
                about: flaws, "of vehicles beyond the \(Fleet.usualLimit) that are shown")
        }
        status = FleetStatus(counts: table.counts, wasRead: wasRead, problem: problem, leftOut: leftOut)
        for page in map.hub.pages.values { page.announceSupplement() }
    }

    /// The next event for a page; `nil` if it shows all as it is.
    func event(for page: String, at instant: ContinuousClock.Instant = .now) -> ByteBuffer? {
        guard let map, let data = pages[page]?.event(table, status, alarms, at: instant) else { return nil }
        return WireEvent.encode(.fleet, json: data, revision: map.hub.revision)
    }

    /// Forgets what a page was sent: it is new, or receives all again.
    func restart(_ page: String) {
        // Another program may have changed the areas.
        readAreas()
        pages[page] = FleetPage(rate: rate)
    }

    func remove(_ page: String) { pages[page] = nil }

    /// Takes what a page shows.
    func receive(_ query: FleetQuery, from page: String) {
        pages[page]?.query = query
        map?.hub.pages[page]?.announceSupplement()
    }

    // MARK: Areas

    /// Performs an action of the user on a page.
    func perform(_ order: FleetOrder) {
        switch order {
        case .save(let area):
            change { store throws(FleetAreaStore.Failure) in
                try store.change { document throws(FleetAreaDocument.Flaw) in try document.save(area) }
            }
        case .remove(let id):
            change { store throws(FleetAreaStore.Failure) in try store.change { $0.remove(id) } }
        case .dismiss(let numbers): alarms.dismiss(numbers)
        }
        guard let map else { return }
        for page in map.hub.pages.values { page.announceSupplement() }
    }

    private func readAreas() { change { store throws(FleetAreaStore.Failure) in try store.read() } }

    /// Takes the areas of the file, or sends pages the error and keeps the known ones.
    private func change(_ areas: (FleetAreaStore) throws(FleetAreaStore.Failure) -> [FleetArea]) {
        guard let store = self.areas else { return }
        do throws(FleetAreaStore.Failure) {
            let areas = try areas(store)
            alarms.areas = areas
            input.withLock { $0.fleet.setAreas(areas) }
        } catch {
            map?.hub.broadcast(.notice, WireNotice(kind: .error, sentence: error.sentence))
        }
    }
}
