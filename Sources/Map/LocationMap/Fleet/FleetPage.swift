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
        var mark: FleetTable.Mark
        var values: FleetRecords.Values
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
    /// The vehicles that the page has, as it was sent them last, by number.
    private var sent: [Sent?] = []
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
        json.write("],")
        let records = vehicles(of: table, view, after: json.buffer.readableBytes)
        if !records.isEmpty { isEmpty = false }
        json.write(records)
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

    /// Removes the vehicles that the page no longer shows. Returns true if there are any.
    private mutating func remove(from table: FleetTable, _ view: View, to json: inout FleetJSON) -> Bool {
        var hasAny = false
        for number in sent.indices {
            guard let born = sent[number]?.mark.born else { continue }
            if let mark = table.marks[number], mark.born == born, view.shows(mark, number) { continue }
            sent[number] = nil
            json.write(element: number)
            hasAny = true
        }
        return hasAny
    }

    /// The vehicles that the page does not show as they are, after so many bytes of its event.
    private mutating func vehicles(of table: FleetTable, _ view: View, after size: Int) -> FleetRecords {
        var records = FleetRecords()
        let count = table.marks.count
        if sent.count < count { sent += Array(repeating: nil, count: count - sent.count) }
        if cursor >= count { cursor = 0 }
        for offset in 0..<count {
            let number = cursor + offset < count ? cursor + offset : cursor + offset - count
            guard let mark = table.marks[number] else { continue }
            let known = sent[number]
            if let known {
                guard mark.revision > known.mark.revision, view.isChanged(mark, from: known.mark, number) else {
                    continue
                }
            } else {
                guard view.shows(mark, number) else { continue }
            }
            guard Double(size + records.size) < allowance else {
                cursor = number
                return records
            }
            guard let vehicle = table.rows[number]?.vehicle else { continue }
            let values = records.append(number, vehicle, mark.state, known: known?.values)
            sent[number] = Sent(mark: mark, values: values)
        }
        return records
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
        var records = FleetRecords()
        var total = 0
        for number in table.order {
            guard let state = table.marks[number]?.state else { continue }
            if !sought.isEmpty, table.rows[number]?.folded.contains(sought) != true { continue }
            total += 1
            if total <= Self.longestList, let vehicle = table.rows[number]?.vehicle {
                records.append(number, vehicle, state)
            }
        }
        var rows = FleetJSON()
        rows.write("{")
        rows.write(records)
        rows.write(",\"total\":")
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

        /// True if the map has a place for a vehicle.
        func shows(_ mark: FleetTable.Mark, _ number: Int) -> Bool {
            y.contains(mark.point.y) && (x.contains(mark.point.x) || x.contains(mark.point.x + MapSize.world.width))
                || kept.contains(number)
        }

        /// True if the map shows a vehicle in another way than before.
        func isChanged(_ mark: FleetTable.Mark, from known: FleetTable.Mark, _ number: Int) -> Bool {
            max(abs(mark.point.x - known.point.x), abs(mark.point.y - known.point.y)) >= pixel
                || mark.state != known.state || mark.direction != known.direction || kept.contains(number)
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
