import FleetModel
import Glibc
import LocationModel
import MapModel
import NIOCore

/// The vehicles as a page has them, and the next event for it.
///
/// A page receives the vehicles in its view, then those that have moved by a pixel of its map at least, or changed what they show; so a
/// page with all of a country costs no more than one with a town. Beyond ``rate`` bytes a second they wait for their turn.
struct FleetPage {
    /// A vehicle as a page has it.
    private struct Sent {
        var born: Int
        var revision: Int
        var point: MapPoint
        var state: VehicleState
        var direction: Int
    }

    /// The bytes a second in the long run.
    static let usualRate = 200_000.0
    /// The seconds for which a page that was sent nothing may be sent more at once: a first picture of 20,000 vehicles has 2 MB.
    private static let burst = 10.0
    /// The most rows of the list.
    static let longestList = 100
    /// The time between two lists.
    private static let listInterval = Duration.seconds(1)

    var query: FleetQuery? { didSet { if query?.search != oldValue?.search { listedAt = nil } } }
    private var sent: [Int: Sent] = [:]
    /// The row with which the next event begins.
    private var cursor = 0
    private let rate: Double
    private var allowance: Double
    private var filledAt: ContinuousClock.Instant?
    private var listedAt: ContinuousClock.Instant?
    private var list: ByteBuffer?
    private var status: FleetStatus?
    private var alarmRevision: Int?

    /// A page that has been sent nothing.
    init(rate: Double = usualRate) { (self.rate, allowance) = (rate, rate * Self.burst) }

    /// The next event as JSON; `nil` if nothing has changed.
    mutating func event(
        _ table: FleetTable, _ status: FleetStatus, _ alarms: FleetAlarms, at now: ContinuousClock.Instant
    ) -> ByteBuffer? {
        guard let query else { return nil }
        if let filledAt {
            allowance = min(rate * Self.burst, allowance + filledAt.duration(to: now) / .seconds(1) * rate)
        }
        filledAt = now
        let view = View(query)
        var json = FleetJSON()
        json.write("{\"removed\":[")
        var isEmpty = !remove(from: table, view, to: &json)
        json.write("],\"set\":[")
        if addVehicles(of: table, view, to: &json) { isEmpty = false }
        json.write("]")
        if status != self.status {
            (self.status, isEmpty) = (status, false)
            json.write(status)
        }
        if alarms.revision != alarmRevision {
            (alarmRevision, isEmpty) = (alarms.revision, false)
            json.write(",\"alarms\":")
            json.write(alarms.json)
        }
        if addList(of: table, query.search, at: now, to: &json) { isEmpty = false }
        guard !isEmpty else { return nil }
        json.write("}")
        allowance -= Double(json.buffer.readableBytes)
        return json.buffer
    }

    /// Removes what the page no longer shows. Returns true if there is any.
    private mutating func remove(from table: FleetTable, _ view: View, to json: inout FleetJSON) -> Bool {
        let gone = sent.filter { number, known in
            number >= table.rows.count || table.rows[number]?.born != known.born
                || !view.shows(table.rows[number], number)
        }.keys
        for number in gone {
            sent[number] = nil
            json.write(element: number)
        }
        return !gone.isEmpty
    }

    /// Adds the vehicles that the page does not show as they are. Returns true if there are any.
    private mutating func addVehicles(of table: FleetTable, _ view: View, to json: inout FleetJSON) -> Bool {
        let count = table.rows.count
        if cursor >= count { cursor = 0 }
        var hasAny = false
        for offset in 0..<count {
            let number = cursor + offset < count ? cursor + offset : cursor + offset - count
            guard let row = table.rows[number], view.shows(row, number) else { continue }
            let known = sent[number]
            if let known {
                guard row.revision > known.revision else { continue }
                let distance = max(abs(row.point.x - known.point.x), abs(row.point.y - known.point.y))
                guard
                    distance >= view.pixel || row.state != known.state || row.direction != known.direction
                        || view.kept.contains(number)
                else { continue }
            }
            guard Double(json.buffer.readableBytes) < allowance else {
                cursor = number
                return hasAny
            }
            sent[number] = Sent(
                born: row.born, revision: row.revision, point: row.point, state: row.state, direction: row.direction)
            json.write(number, row, isNamed: known == nil)
            hasAny = true
        }
        return hasAny
    }

    /// Adds the list if it is due and has changed. Returns true if so.
    private mutating func addList(
        of table: FleetTable, _ search: String?, at now: ContinuousClock.Instant, to json: inout FleetJSON
    ) -> Bool {
        guard let search else {
            list = nil
            return false
        }
        if let listedAt, listedAt.duration(to: now) < Self.listInterval { return false }
        listedAt = now
        let sought = search.lowercased()
        var rows = FleetJSON()
        rows.write("{\"rows\":[")
        var total = 0
        for number in table.order {
            guard let row = table.rows[number], sought.isEmpty || row.folded.contains(sought) else { continue }
            total += 1
            if total <= Self.longestList { rows.write(number, row, isNamed: true) }
        }
        rows.write("],\"total\":")
        rows.write(element: total)
        rows.write("}")
        guard rows.buffer != list else { return false }
        list = rows.buffer
        json.write(",\"list\":")
        json.write(rows.buffer)
        return true
    }

    /// The view of a page, on the flat map.
    private struct View {
        let x, y: ClosedRange<Double>
        /// The side of a pixel.
        let pixel: Double
        let kept: Set<Int>

        init(_ query: FleetQuery) {
            (x, y) = query.area
            // At zoom 0 the world has 512 pixels.
            pixel = MapSize.world.width / 512 / exp2(query.zoom)
            kept = Set(query.kept)
        }

        func shows(_ row: FleetTable.Row?, _ number: Int) -> Bool {
            guard let point = row?.point else { return false }
            return y.contains(point.y) && (x.contains(point.x) || x.contains(point.x + MapSize.world.width))
                || kept.contains(number)
        }
    }
}

/// The broker, and how many vehicles there are.
struct FleetStatus: Hashable {
    /// The number of vehicles in each state.
    var counts: [Int]
    /// True once the broker was read.
    var wasRead: Bool
    /// A sentence with the reason why the broker is not read now.
    var problem: String?
    /// Sentences about the messages that were not used.
    var leftOut: [String] = []
}

extension FleetJSON {
    fileprivate mutating func write(_ status: FleetStatus) {
        write(",\"counts\":[")
        for count in status.counts { write(element: count) }
        write(status.wasRead ? "],\"wasRead\":true" : "],\"wasRead\":false")
        write(",\"leftOut\":")
        write(text: status.leftOut.joined(separator: " "))
        guard let problem = status.problem else { return }
        write(",\"problem\":")
        write(text: problem)
    }
}
