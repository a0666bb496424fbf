import LocationModel
package import LocationPolicy
import TextSupport

// A rule as a dictionary:
//
//     When                  a dictionary; without it, the rule always applies
//         Hours             a string, 22:00-06:00, in local time
//         Days              an array of the days on which the hours start: Monday …
//         Inside, Outside   the name of a place of the user
//         OnBattery, SessionLocked, NobodyPresent   true
//     Deny                  true
//     MaximumAuthorization  whenInUse
//     MaximumAccuracy       reduced
//     MinimumInterval       seconds, 1 to 86400
//     Except, Clients       arrays of clients; not in a client's own declaration
//
// A problem never makes a rule limit less: a refused condition or exception is left out, and with any other problem the rule
// denies.

extension AccessRule {
    /// The range of `MinimumInterval`, in seconds.
    package static let intervals = 1...86_400

    /// Reads a stored rule of a user from an XML property list.
    ///
    /// - Returns: the rule and its problems. A rule with problems limits at least as much as it would without them.
    package static func read(_ list: [UInt8], id: ID, file: String) -> (
        rule: AccessRule, problems: [ConfigurationProblem]
    ) {
        do throws(InvalidConfiguration) {
            return read(try PropertyListDocument(list, file: file), id: id)
        } catch {
            return (AccessRule(id, limit: .denial), error.problems)
        }
    }

    static func read(_ document: PropertyListDocument, id: ID) -> (
        rule: AccessRule, problems: [ConfigurationProblem]
    ) {
        let log = ProblemLog(document)
        let rule = log.rule(document.root, at: .root, id: id)
        return (rule, log.sorted)
    }

    fileprivate init(reading reader: DictionaryReader, id: ID) {
        let isOfClient = id.origin == .client
        let conditions = reader.dictionary("When", AccessCondition.read) ?? []
        let exceptions = isOfClient ? nil : reader.strings("Except", .client)

        let before = reader.log.count
        let clients = isOfClient ? nil : reader.strings("Clients", .client)
        if clients != nil, exceptions != nil { reader.report("Clients", "Give either Clients or Except.") }
        if clients == [] { reader.report("Clients", "This names no client; to limit all, remove the key.") }
        var limit = Limit()
        limit.isDenial = reader.affirmation("Deny")
        limit.maximumAuthorization = reader.choice("MaximumAuthorization", of: LowerLevel.self).map { _ in .whenInUse }
        limit.maximumAccuracy = reader.choice("MaximumAccuracy", of: LowerAccuracy.self).map { _ in .reduced }
        limit.minimumInterval = reader.integer("MinimumInterval", in: Self.intervals).map { .seconds($0) }
        let keys = ["Deny", "MaximumAuthorization", "MaximumAccuracy", "MinimumInterval"]
        reader.finish()
        if reader.log.count == before, !keys.contains(where: reader.has) {
            reader.log.report(
                reader.path, "This limits nothing; add at least one of \(keys.joined(separator: ", ")).")
        }
        let isDoubtful = reader.log.count > before
        self.init(
            id, when: conditions,
            scope: isDoubtful
                ? .everyone(except: Set(exceptions ?? []))
                : clients.map { .only(Set($0)) } ?? .everyone(except: Set(exceptions ?? [])),
            limit: isDoubtful ? .denial : limit)
    }
}

/// The values of `MaximumAuthorization` that limit.
private enum LowerLevel: String, CaseIterable { case whenInUse }

/// The values of `MaximumAccuracy` that limit.
private enum LowerAccuracy: String, CaseIterable { case reduced }

extension ProblemLog {
    fileprivate func rule(_ value: PropertyListValue, at path: ListPath, id: AccessRule.ID) -> AccessRule {
        guard let entries = convert(value, at: path, expected: "a dictionary", \.dictionary) else {
            return AccessRule(id, limit: .denial)
        }
        return AccessRule(reading: DictionaryReader(entries, at: path, log: self), id: id)
    }
}

extension DictionaryReader {
    /// An array of rules; a denial in place of another kind of value.
    func rules(_ key: String, of origin: AccessRule.Origin) -> [AccessRule] {
        let elements = array(key)
        guard let elements else { return has(key) ? [AccessRule(.init(origin, 1), limit: .denial)] : [] }
        return elements.enumerated().map { log.rule($1.value, at: $1.path, id: .init(origin, $0 + 1)) }
    }

    /// A key whose only value is true; false without it.
    fileprivate func affirmation(_ key: String) -> Bool {
        guard let value = boolean(key) else { return false }
        if !value { report(key, "This must be true; to switch it off, remove the key.") }
        return value
    }
}

extension AccessCondition {
    /// The conditions in a dictionary, without refused ones.
    fileprivate static func read(_ reader: DictionaryReader) -> [AccessCondition] {
        let before = reader.log.count
        let hours = reader.string("Hours", .hours).flatMap(Hours.init)
        let names = reader.strings("Days", .line(16))
        let days = names?.enumerated().compactMap { index, name in
            let day = Weekday.allCases.first { $0.name == name }
            if day == nil {
                let suggestion = Weekday.allCases.map(\.name).suggestion(for: name)
                reader.log.report(
                    reader.path.key("Days").index(index),
                    "This must be a day such as Monday, not \(name.quoted)"
                        + (suggestion.map { "; did you mean \($0)?" } ?? "."))
            }
            return day
        }
        if names == [] { reader.report("Days", "This names no day; to include all, remove the key.") }
        var conditions: [AccessCondition] = []
        // Refused hours or days could be any.
        if reader.log.count == before, hours != nil || days != nil,
            let weekly = WeeklyHours(
                from: hours?.start ?? 0, to: hours?.end ?? 0, on: Set(days ?? Weekday.allCases)), !weekly.isAlways
        {
            conditions.append(.during(weekly))
        }
        let (inside, outside) = (reader.string("Inside", .placeName), reader.string("Outside", .placeName))
        conditions += [inside.map { .inside($0) }, outside.map { .outside($0) }].compactMap { $0 }
        if let inside, inside == outside {
            reader.report("Outside", "No location is inside and outside of the same place.")
            conditions.removeAll { $0.place != nil }
        }
        if reader.affirmation("OnBattery") { conditions.append(.onBattery) }
        if reader.affirmation("SessionLocked") { conditions.append(.sessionLocked) }
        if reader.affirmation("NobodyPresent") { conditions.append(.nobodyPresent) }
        return conditions
    }
}

extension Weekday {
    /// `Monday`.
    package var name: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }
}

/// The value of `Hours`: `22:00-06:00`, the end at most `24:00`.
private struct Hours {
    var start: Int
    var end: Int

    init?(_ text: String) {
        let times = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let start = times[0], let end = times[1], start < 1440, start != end else { return nil }
        (self.start, self.end) = (start, end % 1440)
    }

    /// The minute of a time of day with two digits each: `06:00`.
    private static func minute(_ text: Substring.UTF8View) -> Int? {
        let bytes = Array(text)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return minute < 60 && hour * 60 + minute <= 1440 ? hour * 60 + minute : nil
    }
}

extension NamedPlace {
    /// The problem with the name of a place; `nil` for a valid one.
    package static func problem(withName name: String) -> String? { TextRule.placeName.problem(in: name) }
}

extension TextRule {
    /// The name of a place of a user.
    static let placeName = TextRule.line(64)

    fileprivate static let hours = TextRule(11) {
        Hours($0) == nil ? "This must be two different times of day such as 22:00-06:00, from 00:00 to 24:00." : nil
    }
}
