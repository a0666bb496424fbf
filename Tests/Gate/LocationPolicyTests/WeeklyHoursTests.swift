import LocationModel
import LocationPolicy
import Testing

/// Hours on the wall clock, over changes of the offset from UTC.
@Suite("Weekly hours", .timeLimit(.minutes(10))) struct WeeklyHoursTests {
    /// A time zone as its changes: from a moment on, this many minutes ahead of UTC.
    struct Zone {
        var name: String
        var first: Int
        var changes: [(from: Timestamp, minutes: Int)]

        func offset(_ timestamp: Timestamp) -> Int {
            (changes.last { $0.from <= timestamp }?.minutes ?? first) * 60
        }

        func time(_ text: String) -> LocalTime {
            let timestamp = Timestamp(text)!
            return LocalTime(timestamp, utcOffset: offset(timestamp))
        }
    }

    // IANA tzdata, 2026.
    static let berlin = Zone(
        name: "Europe/Berlin", first: 60,
        changes: [(Timestamp("2026-03-29T01:00:00Z")!, 120), (Timestamp("2026-10-25T01:00:00Z")!, 60)])
    static let lordHowe = Zone(
        name: "Australia/Lord_Howe", first: 660,
        changes: [(Timestamp("2026-04-04T15:00:00Z")!, 630), (Timestamp("2026-10-03T15:30:00Z")!, 660)])
    static let newYork = Zone(
        name: "America/New_York", first: -300,
        changes: [(Timestamp("2026-03-08T07:00:00Z")!, -240), (Timestamp("2026-11-01T06:00:00Z")!, -300)])

    static func hours(_ start: String, _ end: String, _ days: Set<Weekday> = Set(Weekday.allCases)) -> WeeklyHours {
        func minute(_ text: String) -> Int {
            let parts = text.split(separator: ":").map { Int($0)! }
            return parts[0] * 60 + parts[1]
        }
        return WeeklyHours(from: minute(start), to: minute(end), on: days)!
    }

    @Test("hours contain their start and not their end; over midnight they belong to the day on which they start")
    func borders() {
        let night = Self.hours("22:00", "06:00", [.friday])
        let rows: [(Weekday, Int, Bool)] = [
            (.friday, 21 * 60 + 59, false), (.friday, 22 * 60, true), (.saturday, 0, true), (.saturday, 359, true),
            (.saturday, 360, false), (.saturday, 22 * 60, false), (.friday, 0, false), (.monday, 0, false),
        ]
        for (day, minute, expected) in rows {
            #expect(night.contains(LocalTime(day, minute: minute)) == expected, "\(day) \(minute)")
        }
        // From Sunday into the next week, and whole days.
        let sunday = Self.hours("23:00", "01:00", [.sunday])
        #expect(sunday.contains(LocalTime(.sunday, minute: 1439)) && sunday.contains(LocalTime(.monday, minute: 59)))
        #expect(!sunday.contains(LocalTime(.monday, minute: 60)) && !sunday.contains(LocalTime(.monday, minute: 1439)))
        let weekend = WeeklyHours(on: [.saturday, .sunday])!
        #expect(Weekday.allCases.filter { weekend.contains(LocalTime($0, minute: 700)) } == [.saturday, .sunday])
        #expect(!weekend.contains(LocalTime(.monday, minute: 0)) && weekend.contains(LocalTime(.saturday, minute: 0)))
        #expect(WeeklyHours(from: 1440) == nil && WeeklyHours(to: -1) == nil && WeeklyHours(from: 60, to: 60) == nil)
    }

    @Test("the wall clock reads the day of the week and the time of day, before 1970 too")
    func wallClock() {
        #expect(Self.berlin.time("2026-11-23T07:47:22Z").secondOfWeek == 8 * 3600 + 47 * 60 + 22)
        #expect(Self.newYork.time("2026-11-23T04:59:59.9Z").secondOfWeek == 6 * 86_400 + 86_399)
        #expect(LocalTime(Timestamp("1969-12-31T23:59:59.5Z")!, utcOffset: 0).secondOfWeek == 3 * 86_400 - 1)
    }

    @Test("skipped hours do not occur and repeated ones count twice")
    func daylightSavingTime() {
        let small = Self.hours("02:00", "03:00")
        let half = Self.hours("01:45", "02:15")
        let rows: [(Zone, WeeklyHours, String, Bool)] = [
            // Berlin skips 02:00 to 03:00 …
            (Self.berlin, small, "2026-03-29T00:59:59Z", false), (Self.berlin, small, "2026-03-29T01:00:00Z", false),
            (Self.berlin, Self.hours("02:30", "05:00"), "2026-03-29T01:00:00Z", true),
            // … and has it twice.
            (Self.berlin, small, "2026-10-25T00:00:00Z", true), (Self.berlin, small, "2026-10-25T00:59:59Z", true),
            (Self.berlin, small, "2026-10-25T01:00:00Z", true), (Self.berlin, small, "2026-10-25T01:59:59Z", true),
            (Self.berlin, small, "2026-10-25T02:00:00Z", false),
            // Lord Howe: 01:30 to 02:00 twice, 02:00 to 02:30 skipped.
            (Self.lordHowe, half, "2026-04-04T14:45:00Z", true), (Self.lordHowe, half, "2026-04-04T15:00:00Z", false),
            (Self.lordHowe, half, "2026-04-04T15:15:00Z", true), (Self.lordHowe, half, "2026-04-04T15:45:00Z", false),
            (Self.lordHowe, half, "2026-10-03T15:29:59Z", true), (Self.lordHowe, half, "2026-10-03T15:30:00Z", false),
            (Self.newYork, small, "2026-03-08T07:00:00Z", false),
            (Self.newYork, Self.hours("01:00", "02:00"), "2026-11-01T05:30:00Z", true),
            (Self.newYork, Self.hours("01:00", "02:00"), "2026-11-01T06:30:00Z", true),
        ]
        for (zone, hours, text, expected) in rows {
            #expect(hours.contains(zone.time(text)) == expected, "\(zone.name) \(text)")
        }
    }

    @Test("the next change is a border on the wall clock, or the change of the offset before it")
    func nextChange() {
        let night = Self.hours("22:00", "06:00")
        let small = Self.hours("02:00", "03:00")
        let rows: [(Zone, [WeeklyHours], String, String?)] = [
            (Self.berlin, [], "2026-11-23T08:00:00Z", nil),
            (Self.berlin, [WeeklyHours(on: [])!], "2026-11-23T08:00:00Z", nil),
            (Self.berlin, [night], "2026-11-23T08:00:00Z", "2026-11-23T21:00:00Z"),
            (Self.berlin, [night], "2026-11-23T21:00:00Z", "2026-11-24T05:00:00Z"),
            (Self.berlin, [night, small], "2026-11-23T23:00:00Z", "2026-11-24T01:00:00Z"),
            // A fraction of a second before the border.
            (Self.berlin, [night], "2026-11-23T20:59:59.999Z", "2026-11-23T21:00:00Z"),
            (Self.berlin, [Self.hours("22:00", "06:00", [.monday])], "2026-11-24T05:00:00Z", "2026-11-30T21:00:00Z"),
            // Changes of the offset.
            (Self.berlin, [night], "2026-03-28T21:00:00Z", "2026-03-29T01:00:00Z"),
            (Self.berlin, [night], "2026-03-29T01:00:00Z", "2026-03-29T04:00:00Z"),
            (Self.berlin, [small], "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"),
            (Self.berlin, [small], "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"),
            (Self.lordHowe, [Self.hours("01:45", "02:15")], "2026-04-04T14:45:00Z", "2026-04-04T15:00:00Z"),
            (Self.lordHowe, [Self.hours("01:45", "02:15")], "2026-04-04T15:00:00Z", "2026-04-04T15:15:00Z"),
            (Self.lordHowe, [Self.hours("01:45", "02:15")], "2026-10-03T15:20:00Z", "2026-10-03T15:30:00Z"),
            (Self.newYork, [night], "2026-03-08T03:00:00Z", "2026-03-08T07:00:00Z"),
        ]
        for (zone, hours, now, expected) in rows {
            let next = WeeklyHours.nextChange(of: hours, after: Timestamp(now)!, utcOffset: zone.offset)
            #expect(next == expected.map { Timestamp($0)! }, "\(zone.name) \(now): \(next?.description ?? "never")")
        }
    }

    @Test("no change is missed in the weeks around each change of the offset, at any clock step or change of the zone")
    func nothingMissed() {
        let sets = [
            [Self.hours("22:00", "06:00")], [Self.hours("02:00", "03:00")], [Self.hours("01:45", "02:15", [.sunday])],
            [Self.hours("02:30", "02:45"), Self.hours("09:00", "17:00", [.monday, .friday])],
        ]
        for zone in [Self.berlin, Self.lordHowe, Self.newYork] {
            for change in zone.changes {
                for hours in sets {
                    // From any starting point, as after a step of the clock or a journey to this zone.
                    let start = change.from.advanced(by: .seconds(-3 * 86_400))
                    func state(_ minute: Int) -> [Bool] {
                        let now = start.advanced(by: .seconds(60 * minute))
                        return hours.map { $0.contains(LocalTime(now, utcOffset: zone.offset(now))) }
                    }
                    let states = (0...(5 * 1440)).map(state)
                    for minute in stride(from: 0, to: 3 * 1440 + 200, by: 97) {
                        let now = start.advanced(by: .seconds(60 * minute))
                        let next = WeeklyHours.nextChange(of: hours, after: now, utcOffset: zone.offset)!
                        #expect(next > now)
                        let minutes = Int(next.duration(since: start) / .seconds(60))
                        let constant = states[minute..<min(minutes, states.count)].allSatisfy { $0 == states[minute] }
                        #expect(constant, "\(zone.name) \(now)")
                    }
                }
            }
        }
    }
}
