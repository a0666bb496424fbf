import FoundationEssentials
import Glibc
import LocationModel
import SQLite
import StrictJSON

@testable import LocationSharing
@testable import SharingProgram

/// What sharing reads from disk and from services: answers, states and settings in JSON, and rows of a queue. The first byte says
/// which, the second one the service.
enum SharingFuzz {
    private static let now = Timestamp(secondsSince1970: 1_795_000_000)

    static func run(_ input: [UInt8]) throws {
        guard input.count > 2 else { return }
        let services = SharingService.allCases
        let service = services[Int(input[1]) % services.count]
        let rest = Array(input.dropFirst(2))
        switch input[0] % 4 {
        case 0: try runAnswer(service, rest)
        case 1:
            guard let state = try? JSONDecoder().decode(ShareState.self, from: Data(rest)) else { return }
            try drive(service, state: state)
        case 2:
            guard let destinations = try? JSONDecoder().decode([Destination].self, from: Data(rest)) else { return }
            for destination in destinations { try drive(destination.service, share: destination.share) }
        default: try runQueue(service, rest)
        }
    }

    /// An answer: two bytes of its status, eight of the time to wait, and its content.
    private static func runAnswer(_ service: SharingService, _ bytes: [UInt8]) throws {
        var rest = bytes[...]
        let status = Int(UInt16(truncatingIfNeeded: number(&rest, 2))) % 1000
        let seconds = Int(truncatingIfNeeded: number(&rest, 8))
        let text = String(decoding: rest, as: UTF8.self)
        for isTest in [false, true] {
            let verdict = ShareAnswer.verdict(
                of: service, isTest: isTest, status: status, body: Array(rest), retryAfter: seconds, redirect: text,
                origin: "https://service.example")
            let isStored = verdict == .stored
            try Finding.unless(!isStored || (200..<300).contains(status), "stored by \(status)")
            try drive(service, outcome: .answered(verdict))
        }
    }

    /// A queue: nine numbers a row.
    private static func runQueue(_ service: SharingService, _ bytes: [UInt8]) throws {
        let file = Scratch.directory + "/sharing.queue"
        for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
        let queue = try PositionQueue(file, start: now)
        let database = try SQLDatabase<PositionQueueError>(path: file)
        var rest = bytes[...]
        var rows: Set<Int64> = []
        while !rest.isEmpty, rows.count < 20 {
            let numbers = (0..<9).map { _ in Int64(bitPattern: number(&rest, 8)) }
            try database.run(
                "INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", numbers.map { SQLValue($0) })
            rows.insert(numbers[0])
        }
        let last = try queue.lastSequence()
        // Age removes few of them.
        let (records, damaged) = try queue.first(100, now: Timestamp(nanosecondsSince1970: .min))
        try Finding.unless(
            records.count + damaged <= rows.count, "\(records.count) and \(damaged) of \(rows.count) rows")
        for record in records {
            try LocationCheck.check(record.location)
            try Finding.unless((1...last).contains(record.sequence ?? 0), "number \(record.sequence ?? 0) of \(last)")
            try check(record)
        }
        try drive(service, queued: records, last: last)
    }

    /// Throws unless the message to each service is JSON.
    private static func check(_ record: ShareRecord) throws {
        for text in [
            OwnTracksMessage.body(.positions([record])), TraccarMessage.body(record, device: "x"),
            OverlandMessage.body([record], device: "x"),
        ] {
            try Finding.unless((try? JSONOutline(text)) != nil, "no JSON: \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Has a machine send positions and an end, which are all answered in the same way.
    private static func drive(
        _ service: SharingService, state: ShareState = ShareState(), share: Share? = nil,
        outcome: ShareMachine.Outcome = .answered(.stored), queued: [ShareRecord] = [], last: Int64 = 0
    ) throws {
        var machine = ShareMachine(
            state, gridKey: (0..<16).map { $0 }, service: service, queue: queued.isEmpty ? nil : now, lastSequence: last
        )
        var moment = ShareMachine.Moment(wall: now)
        var share = share ?? Share(started: now, until: nil)
        if !queued.isEmpty { share.queue = now }
        func perform(_ actions: [ShareMachine.Action]) throws {
            var actions = actions
            var turns = 0
            while !actions.isEmpty, turns < 20 {
                turns += 1
                var next: [ShareMachine.Action] = []
                for action in actions {
                    switch action {
                    case .save(let state): _ = try JSONEncoder().encode(state)
                    case .load(let count): next += machine.load(Array(queued.prefix(count)), damaged: 1, moment)
                    case .send(let message):
                        if case .positions(let records) = message { for record in records { try check(record) } }
                        next += machine.answered(outcome, random: 1, moment)
                    case .queue(let record, _):
                        try Finding.unless(record.sequence ?? 0 > 0, "number \(record.sequence ?? 0)")
                    case .remove, .deleteQueue, .cancel, .wake: break
                    }
                }
                actions = next
            }
        }
        try perform(machine.configure(share, moment))
        for step in 0..<10 {
            moment.wall = moment.wall.advanced(by: .seconds(60))
            moment.steady += .seconds(60)
            let coordinate = Coordinate(latitude: 47 + Double(step) / 100, longitude: 9)
            if let coordinate {
                let location = Location(coordinate: coordinate, timestamp: moment.wall)
                try perform(machine.receive(location, isReduced: step == 7, moment))
            }
            try perform(machine.wake(moment))
        }
        try perform(machine.configure(nil, moment))
        moment.steady += .seconds(100_000)
        try perform(machine.wake(moment))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { number, _ in number << 8 | UInt64(bytes.popFirst() ?? 0) }
    }
}
