import TextSupport

/// Collects the problems of one file while it is read.
final class ProblemLog {
    let document: PropertyListDocument
    private var problems: [ConfigurationProblem] = []
    /// The paths of the values that were refused, and of known keys for which a misspelt one may have been meant.
    private(set) var doubts: [ListPath] = []

    init(_ document: PropertyListDocument) {
        self.document = document
    }

    /// Reports a problem. `doubt` is the path of the value that it puts in doubt, if any: by default the same.
    func report(_ path: ListPath, _ message: String, doubt: ListPath?) {
        problems.append(
            ConfigurationProblem(
                file: document.file, keyPath: path.text, line: document.line(of: path), message: message))
        if let doubt { doubts.append(doubt) }
    }

    func report(_ path: ListPath, _ message: String) { report(path, message, doubt: path) }

    /// The number of problems so far.
    var count: Int { problems.count }

    /// The problems in the order of their lines, if those are known.
    var sorted: [ConfigurationProblem] {
        problems.sorted {
            ($0.line ?? 0, $0.keyPath ?? "", $0.message) < ($1.line ?? 0, $1.keyPath ?? "", $1.message)
        }
    }
}

/// Reads validated values from one dictionary of a property list.
///
/// Missing and invalid values read as `nil`, and invalid ones are reported. The keys read so far are the known keys:
/// `finish()` reports all others.
final class DictionaryReader {
    let path: ListPath
    let log: ProblemLog
    private let entries: [String: PropertyListValue]
    private var known: Set<String> = []

    init(_ entries: [String: PropertyListValue], at path: ListPath, log: ProblemLog) {
        self.entries = entries
        self.path = path
        self.log = log
    }

    /// True if the key exists, known or not.
    func has(_ key: String) -> Bool { entries[key] != nil }

    /// The keys that were not read.
    var unknownKeys: [String] { entries.keys.filter { !known.contains($0) } }

    func finish() {
        for key in unknownKeys {
            let suggestion = known.filter { !has($0) }.suggestion(for: key)
            let message = suggestion.map { "This key is not known; did you mean \($0)?" }
            log.report(path.key(key), message ?? "This key is not known here.", doubt: suggestion.map(path.key))
        }
    }

    func report(_ key: String, _ message: String) {
        log.report(path.key(key), message)
    }

    private func value<Value>(
        _ key: String, expected: String, _ convert: (PropertyListValue) -> Value?
    ) -> Value? {
        known.insert(key)
        guard let value = entries[key] else { return nil }
        return log.convert(value, at: path.key(key), expected: expected, convert)
    }

    func string(_ key: String, _ rule: TextRule) -> String? {
        guard let text = value(key, expected: "a string", \.string) else { return nil }
        return log.check(text, rule, at: path.key(key))
    }

    func boolean(_ key: String) -> Bool? {
        value(key, expected: "a boolean", \.boolean)
    }

    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(key, expected: "an integer", \.integer) else { return nil }
        guard range.contains(value) else {
            report(key, "This must be from \(range.lowerBound) to \(range.upperBound), not \(value).")
            return nil
        }
        return value
    }

    /// A number, with or without a fraction.
    func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = value(key, expected: "a number", \.number) else { return nil }
        guard range.contains(value) else {
            report(key, "This must be from \(range.text), not \(value.shortText).")
            return nil
        }
        return value
    }

    func choice<Choice: CaseIterable & RawRepresentable<String>>(_ key: String, of: Choice.Type) -> Choice? {
        guard let text = value(key, expected: "a string", \.string) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            report(key, "This must be \(choices), not \(text.quoted).")
            return nil
        }
        return choice
    }

    /// The elements of an array with their paths.
    func array(_ key: String) -> [(path: ListPath, value: PropertyListValue)]? {
        let elements = value(key, expected: "an array", \.array)
        return elements?.enumerated().map { (path.key(key).index($0), $1) }
    }

    /// An array of distinct strings, without invalid ones.
    func strings(_ key: String, _ rule: TextRule) -> [String]? {
        var seen: Set<String> = []
        return array(key)?.compactMap { path, value in
            guard let text = log.convert(value, at: path, expected: "a string", \.string),
                let text = log.check(text, rule, at: path)
            else { return nil }
            guard seen.insert(text).inserted else {
                log.report(path, "This is in the array already; keep one of the two.")
                return nil
            }
            return text
        }
    }

    /// A dictionary of strings with arbitrary keys, without invalid ones.
    func stringsByKey(_ key: String, keys keyRule: TextRule, _ rule: TextRule) -> [String: String]? {
        dictionary(key)?.allStrings(keys: keyRule, rule)
    }

    /// Reads a dictionary with `body` and reports its unknown keys.
    func dictionary<Value>(_ key: String, _ body: (DictionaryReader) -> Value) -> Value? {
        dictionary(key).map { reader in
            defer { reader.finish() }
            return body(reader)
        }
    }

    /// Reads a dictionary, or each dictionary of an array, with `body`, and reports unknown keys and values that `distinction`
    /// does not keep apart.
    func oneOrMore<Value>(
        _ key: String, _ body: (DictionaryReader) -> Value, apart distinction: (Value) -> some Hashable
    ) -> [Value]? {
        guard case .array? = entries[key] else { return dictionary(key, body).map { [$0] } }
        var seen: Set<AnyHashable> = []
        return array(key)?.compactMap { path, value in
            guard let entries = log.convert(value, at: path, expected: "a dictionary", \.dictionary) else { return nil }
            let reader = DictionaryReader(entries, at: path, log: log)
            defer { reader.finish() }
            let value = body(reader)
            guard seen.insert(distinction(value)).inserted else {
                log.report(path, "This is in the array already; keep one of the two.")
                return nil
            }
            return value
        }
    }

    private func dictionary(_ key: String) -> DictionaryReader? {
        let entries = value(key, expected: "a dictionary", \.dictionary)
        return entries.map { DictionaryReader($0, at: path.key(key), log: log) }
    }

    private func allStrings(keys keyRule: TextRule, _ rule: TextRule) -> [String: String] {
        var strings: [String: String] = [:]
        for key in entries.keys {
            if let problem = keyRule.problem(in: key) { report(key, "The key: \(problem)") }
            strings[key] = string(key, rule)
        }
        return strings
    }
}

extension ProblemLog {
    func convert<Value>(
        _ value: PropertyListValue, at path: ListPath, expected: String, _ convert: (PropertyListValue) -> Value?
    ) -> Value? {
        if let converted = convert(value) { return converted }
        report(path, "This must be \(expected), not \(value.kind).")
        return nil
    }

    func check(_ text: String, _ rule: TextRule, at path: ListPath) -> String? {
        guard let problem = rule.problem(in: text) else { return text }
        report(path, problem)
        return nil
    }
}
