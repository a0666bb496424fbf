/// The opening times of a usual week in readable form.
///
/// Reads the simple forms of OpenStreetMap's `opening_hours` (<https://wiki.openstreetmap.org/wiki/Key:opening_hours>),
/// which most places have: days and times, `off`, `24/7` and public holidays; not seasons, weeks or sunsets.
public struct OpeningTimes: Codable, Hashable, Sendable {
    /// The lines, one for each group of days: "Mon to Fri 8:00–18:00".
    public var lines: [String]
    /// The open periods of a week without a public holiday, as first and last minute since Monday 0:00, ascending; the last
    /// may extend into the next Monday.
    public var week: [[Int]]
    /// True if other times hold on public holidays.
    public var hasHolidayTimes: Bool

    /// Reads an `opening_hours`, or returns `nil` if it has more than the simple forms.
    public init?(_ text: String) {
        guard text.utf8.count <= 250 else { return nil }
        var days = [[ClosedRange<Int>]](repeating: [], count: 7)
        var holidays: [ClosedRange<Int>]?
        let rules = text.split(separator: ";").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty }
        for rule in rules {
            guard let groups = Self.groups(rule) else { return nil }
            // Beside other rules, times without days are more often a mistake than a rule for every day.
            guard rules.count + groups.count == 2 || groups.allSatisfy({ !$0.days.isEmpty }) else { return nil }
            for (number, group) in groups.enumerated() {
                // A rule after a semicolon replaces earlier ones for its days; one after a comma adds to them.
                for day in group.days.isEmpty ? Array(0..<7) : group.days.weekdays {
                    days[day] = (number == 0 ? [] : days[day]) + group.times
                }
                if group.days.hasHolidays { holidays = group.times }
            }
        }
        lines = Self.lines(days)
        if let holidays { lines.append("Public holidays " + (holidays.isEmpty ? "closed" : Self.text(holidays))) }
        guard !lines.isEmpty else { return nil }
        hasHolidayTimes = holidays != nil
        week = days.enumerated().flatMap { day, times in
            times.map { [day * Self.day + $0.lowerBound, day * Self.day + $0.upperBound] }
        }.sorted { $0[0] < $1[0] }
    }

    private static let day = 24 * 60
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let keys = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]

    private struct Days {
        var weekdays: [Int] = []
        var hasHolidays = false

        /// True if there are no days, which means every day if there are times.
        var isEmpty: Bool { weekdays.isEmpty && !hasHolidays }
    }

    // MARK: Reading

    /// Returns the days and times of a rule such as "Mo-Fr 08:00-12:00,13:00-18:00, Sa 09:00-12:00".
    private static func groups(_ rule: String) -> [(days: Days, times: [ClosedRange<Int>])]? {
        if rule == "24/7" { return [(Days(weekdays: Array(0..<7)), [0...day])] }
        var groups: [(days: Days, times: [ClosedRange<Int>])] = []
        var days = Days()
        var times: [ClosedRange<Int>]?
        for word in rule.split(whereSeparator: { $0 == "," || $0 == " " }) {
            if let time = range(word) {
                times = (times ?? []) + [time]
            } else if word == "off" || word == "closed" {
                guard times == nil else { return nil }
                times = []
            } else {
                if let known = times {
                    groups.append((days, known))
                    (days, times) = (Days(), nil)
                }
                guard add(word, to: &days) else { return nil }
            }
        }
        guard let times else { return nil }
        return groups + [(days, times)]
    }

    private static func add(_ word: Substring, to days: inout Days) -> Bool {
        if word == "PH" {
            days.hasHolidays = true
            return true
        }
        let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { keys.firstIndex(of: String($0)) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return false }
        // "Sa-Mo" extends into the next week.
        days.weekdays += (first...(last < first ? last + 7 : last)).map { $0 % 7 }
        return true
    }

    /// Returns the minutes of "08:00-18:00"; "18:00-02:00" ends on the next day.
    private static func range(_ word: Substring) -> ClosedRange<Int>? {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { minutes($0) }
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < day, end != start else { return nil }
        return start...(end > start ? end : end + day)
    }

    private static func minutes(_ word: Substring) -> Int? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 24 * 60
        else { return nil }
        return hour * 60 + minute
    }

    // MARK: Writing

    /// Returns the lines, with days of the same times on one line.
    private static func lines(_ days: [[ClosedRange<Int>]]) -> [String] {
        var lines: [String] = []
        for (first, times) in days.enumerated() where !times.isEmpty && days.firstIndex(of: times) == first {
            let same = days.indices.filter { days[$0] == times }
            let text = text(times)
            lines.append(same.count == 7 ? (text == allDay ? "24 hours" : "Daily \(text)") : "\(name(same)) \(text)")
        }
        return lines
    }

    /// Returns the name of days, such as "Mon to Wed, Fri".
    private static func name(_ days: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for day in days {
            if let last = runs.last, last.upperBound + 1 == day {
                runs[runs.count - 1] = last.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            switch run.count {
            case 1: names[run.lowerBound]
            case 2: "\(names[run.lowerBound]), \(names[run.upperBound])"
            default: "\(names[run.lowerBound]) to \(names[run.upperBound])"
            }
        }.joined(separator: ", ")
    }

    private static let allDay = "all day"

    private static func text(_ times: [ClosedRange<Int>]) -> String {
        if times == [0...day] { return allDay }
        return times.map { "\(time($0.lowerBound))–\(time($0.upperBound))" }.joined(separator: ", ")
    }

    private static func time(_ minutes: Int) -> String {
        let minutes = minutes > day ? minutes - day : minutes
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
}
