import ArgumentParser
import FoundationEssentials
import TextSupport

/// The output formats of commands whose result is not a location.
package enum PlainFormat: String, CaseIterable, Sendable {
    /// Lines for people.
    case text
    /// One JSON value on one line, as locationctl(1) describes it.
    case json
}

extension PlainFormat: ExpressibleByArgument {}

/// The options for the output of a result.
package struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The output format: text or json.", valueName: "format"))
    package var format = PlainFormat.text

    package init() {}

    /// Prints `result` as JSON, or the lines of `text`.
    package func say(_ result: some Encodable, text: () -> [String]) throws {
        switch format {
        case .json: Terminal.say(try JSONLine.encode(result))
        case .text: Terminal.say(text())
        }
    }
}

/// Encodes values as JSON lines that are safe to print on a terminal.
package enum JSONLine {
    /// A value as JSON in one line. Characters that are unsafe on a terminal occur only in strings, and are escaped there.
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        let isASCII = Charset.ofOutput == .ascii
        guard text.isUnsafeToShow || (isASCII && !text.utf8.allSatisfy({ $0 < 0x80 })) else { return text }
        return text.unicodeScalars.map { $0.isUnsafeToShow || (isASCII && !$0.isASCII) ? escape($0) : String($0) }
            .joined()
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { unit in
            unit.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
        } ?? "\u{FFFD}"
    }
}
