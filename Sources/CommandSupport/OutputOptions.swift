import ArgumentParser
import FoundationEssentials

/// How things that are no locations are printed.
package enum PlainFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON value on one line, as locationctl(1) describes it.
    case json
}

extension PlainFormat: ExpressibleByArgument {}

/// How a command prints its result.
package struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How to print it: text or json.", valueName: "format"))
    package var format = PlainFormat.text

    package init() {}

    /// Prints `result`, or the lines that say the same to a person.
    package func say(_ result: some Encodable, text: () -> [String]) throws {
        switch format {
        case .json: Terminal.say(try JSONLine.encode(result))
        case .text: Terminal.say(text())
        }
    }
}

/// JSON as it is shown to people and programs.
package enum JSONLine {
    /// A value as JSON in one line. What a terminal should not see is escaped, which JSON allows where it can be: in strings.
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.isUnsafeToShow) else { return text }
        return text.unicodeScalars.map { $0.isUnsafeToShow ? escape($0) : String($0) }.joined()
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { unit in
            unit.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
        } ?? "\u{FFFD}"
    }
}
