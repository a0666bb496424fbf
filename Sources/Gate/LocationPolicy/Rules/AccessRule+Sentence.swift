import LocationModel

extension AccessRule {
    /// The rule in words, as `rules list` and `explain` show it: "within 300 m of home: nobody but org.example.Doorbell".
    ///
    /// - Parameter radius: the radius of a place in metres, by its name; `nil` for a place that does not exist.
    public func sentence(radius: (String) -> Double? = { _ in nil }) -> String {
        let words = conditions.map { $0.words(radius: radius) }.joined(separator: ", ")
        return "\(words.isEmpty ? "always" : words): \(consequence)"
    }

    private var consequence: String {
        if limit.isDenial {
            return switch scope {
            case .everyone(let exceptions): exceptions.isEmpty ? "nobody" : "nobody but \(Self.list(exceptions))"
            case .only(let clients): "not \(Self.list(clients, "or"))"
            }
        }
        var parts: [String] = []
        if limit.maximumAuthorization == .whenInUse { parts.append("only while in use") }
        if limit.maximumAccuracy == .reduced { parts.append("only the approximate location (about 5 km)") }
        if let interval = limit.minimumInterval { parts.append("at most every \(Self.words(interval))") }
        let who =
            switch scope {
            case .everyone(let exceptions): exceptions.isEmpty ? "all" : "all but \(Self.list(exceptions))"
            case .only(let clients): Self.list(clients)
            }
        return "\(who) \(parts.isEmpty ? "without limits" : parts.joined(separator: ", "))"
    }

    /// A duration in its largest whole unit.
    private static func words(_ interval: Duration) -> String {
        let seconds = interval.components.seconds
        let units: [(Int64, String, String)] = [
            (86_400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "minutes"),
        ]
        for (length, one, many) in units where seconds % length == 0 && seconds > 0 {
            return seconds == length ? one : "\(seconds / length) \(many)"
        }
        return seconds == 1 ? "second" : "\(seconds) seconds"
    }

    private static func list(_ clients: Set<String>, _ conjunction: String = "and") -> String {
        let names = clients.sorted()
        guard let last = names.last, names.count > 1 else { return names.first ?? "no client" }
        return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

extension AccessCondition {
    fileprivate func words(radius: (String) -> Double?) -> String {
        switch self {
        case .during(let hours): hours.description
        case .inside(let place): radius(place).map { "within \(Self.metres($0)) of \(place)" } ?? "inside \(place)"
        case .outside(let place):
            radius(place).map { "farther than \(Self.metres($0)) from \(place)" } ?? "outside \(place)"
        case .onBattery: "on battery"
        case .sessionLocked: "while the screen is locked"
        case .nobodyPresent: "while nobody is at the machine"
        }
    }

    private static func metres(_ value: Double) -> String {
        let metres = Int(value.rounded())
        return metres >= 1000 && metres % 1000 == 0 ? "\(metres / 1000) km" : "\(metres) m"
    }
}

extension WeeklyHours: CustomStringConvertible {
    /// The hours in words: "from 22:00 to 06:00 on Friday and Saturday".
    public var description: String {
        let hours = start == end ? nil : "from \(Self.clock(start)) to \(Self.clock(end))"
        return switch (hours, days.count == 7) {
        case (nil, true): "on all days"
        case (nil, false): dayWords
        case (let hours?, true): hours
        case (let hours?, false): "\(hours) \(dayWords)"
        }
    }

    private var dayWords: String {
        let weekend: Set<Weekday> = [.saturday, .sunday]
        if days == weekend { return "on weekends" }
        if days == Set(Weekday.allCases).subtracting(weekend) { return "on weekdays" }
        let names = days.sorted().map { "\($0)".prefix(1).uppercased() + "\($0)".dropFirst() }
        guard let last = names.last else { return "on no day" }
        return "on \(names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)")"
    }

    /// `HH:MM`.
    public static func clock(_ minute: Int) -> String {
        func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(padded(minute / 60)):\(padded(minute % 60))"
    }
}
