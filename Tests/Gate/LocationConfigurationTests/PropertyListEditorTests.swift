import SeededRandom
import Testing

@testable import LocationConfiguration

@Suite(.timeLimit(.minutes(10))) struct PropertyListEditorTests {
    private static let position = PropertyListValue.dictionary([
        "Latitude": .real(-33.87), "Longitude": .real(151.21),
    ])

    private func editor(_ text: String) throws -> PropertyListEditor {
        try PropertyListEditor(Array(text.utf8), file: "F")
    }

    private func set(_ key: String, _ value: PropertyListValue, in text: String) throws -> String {
        String(decoding: try editor(text).setting(key, to: value), as: UTF8.self)
    }

    private func remove(_ key: String, from text: String) throws -> String {
        String(decoding: try editor(text).removing(key), as: UTF8.self)
    }

    @Test(
        "setting a key changes nothing else, in the file's own style",
        arguments: [
            // A new key comes last, indented like the others.
            (
                "<plist>\n<dict>\n  <!-- a -->\n  <key>A</key><true/>\n\n</dict>\n</plist>\n", "B", position,
                "<plist>\n<dict>\n  <!-- a -->\n  <key>A</key><true/>\n\n  <key>B</key>\n  <dict>\n"
                    + "    <key>Latitude</key><real>-33.87</real>\n    <key>Longitude</key><real>151.21</real>\n"
                    + "  </dict>\n</dict>\n</plist>\n"
            ),
            // A present key stays in its place.
            (
                "<plist><dict>\n\t<key>A</key> <!-- why -->\n\t<integer>1</integer><!-- b -->\n\t<key>B</key><true/>\n</dict></plist>",
                "A", .array([.string("x"), .array([])]),
                "<plist><dict>\n\t<key>A</key> <!-- why -->\n\t<array>\n\t\t<string>x</string>\n\t\t<array/>\n\t</array><!-- b -->\n"
                    + "\t<key>B</key><true/>\n</dict></plist>"
            ),
            // One line.
            (
                "<plist><dict><key>A</key><true/></dict></plist>", "B", .boolean(false),
                "<plist><dict><key>A</key><true/><key>B</key><false/></dict></plist>"
            ),
            // An empty dictionary.
            (
                "<plist>\r\n<dict />\r\n</plist>\r\n", "B", .string("a<b>&c"),
                "<plist>\r\n<dict>\r\n    <key>B</key><string>a&lt;b&gt;&amp;c</string>\r\n</dict>\r\n</plist>\r\n"
            ),
            // A byte order mark, letters of several bytes and a key written with an entity.
            (
                "\u{FEFF}<plist><!-- ü --><dict>\n<key>&#65;</key><string>ö</string>\n</dict></plist>", "A",
                .integer(7),
                "\u{FEFF}<plist><!-- ü --><dict>\n<key>&#65;</key><integer>7</integer>\n</dict></plist>"
            ),
            // A key of the same name deeper inside is another key.
            (
                "<plist><dict>\n <key>A</key><dict><key>B</key><true/></dict>\n</dict></plist>", "B", .integer(1),
                "<plist><dict>\n <key>A</key><dict><key>B</key><true/></dict>\n <key>B</key><integer>1</integer>\n"
                    + "</dict></plist>"
            ),
        ])
    func settingChangesNothingElse(text: String, key: String, value: PropertyListValue, expected: String) throws {
        #expect(try set(key, value, in: text) == expected)
    }

    @Test(
        "removing a key removes its lines and nothing else",
        arguments: [
            (
                "<plist>\n<dict>\n  <!-- a -->\n  <key>A</key>\n  <dict>\n    <key>B</key><true/>\n  </dict>  \n  <key>C</key><true/>\n"
                    + "</dict>\n</plist>", "<plist>\n<dict>\n  <!-- a -->\n  <key>C</key><true/>\n</dict>\n</plist>"
            ),
            // With something else on its lines.
            (
                "<plist><dict>\n <key>A</key><true/> <!-- b -->\n</dict></plist>",
                "<plist><dict>\n  <!-- b -->\n</dict></plist>"
            ),
            ("<plist><dict><key>A</key><true/></dict></plist>", "<plist><dict></dict></plist>"),
            // A comment between key and value.
            (
                "<plist><dict><key>A</key> <!-- b --> <true/></dict></plist>",
                "<plist><dict> <!-- b --> </dict></plist>"
            ),
            ("<plist><dict/></plist>", "<plist><dict/></plist>"),
        ])
    func removingRemovesLines(text: String, expected: String) throws {
        #expect(try remove("A", from: text) == expected)
    }

    @Test(
        "what cannot be edited safely is refused with the reason",
        arguments: [
            ("bplist00", "F: This is a binary property list, which is not supported. Write it as XML."),
            ("<plist>\n<array/></plist>", "F:2: This must be a dictionary, not an array."),
            ("<plist>\n<dict>", "F:2: This is not well-formed XML: no element found."),
            (
                "<plist><dict><key>A</key><true/>\n<key>A</key><true/></dict></plist>",
                "F:2: A: This key is already on line 1; keep one of the two."
            ),
            (
                "<!DOCTYPE plist [<!ENTITY x \"y\">]><plist><dict/></plist>",
                "F:1: A DOCTYPE with declarations of its own is refused; remove them."
            ),
            (
                "<plist><dict>\n<key>A</key><dict><!-- kept --></dict></dict></plist>",
                "F:2: A: This has a comment inside, which would be lost. Change it with an editor."
            ),
        ])
    func unsafeEditsAreRefused(text: String, expected: String) {
        #expect(throws: InvalidConfiguration.self) { try set("A", .integer(1), in: text) }
        #expect(throws: InvalidConfiguration.self) { try remove("A", from: text) }
        do {
            _ = try set("A", .integer(1), in: text)
        } catch {
            #expect("\(error)" == expected)
        }
    }

    @Test(
        "a value that XML cannot hold is refused",
        arguments: [
            PropertyListValue.string("a\u{1}b"), .real(.nan), .real(.infinity), .other,
            .dictionary(["\u{0}": .integer(1)]),
        ])
    func valuesThatCannotBeWrittenAreRefused(value: PropertyListValue) {
        #expect(throws: InvalidConfiguration.self) { try set("A", value, in: "<plist><dict/></plist>") }
    }

    @Test("in random files a read finds what an edit has set, and a removal restores the text")
    func randomFilesKeepTheRest() throws {
        for seed in 0..<2000 as Range<UInt64> {
            var random = RandomList(seed: seed)
            let (text, root) = random.list()
            let editor = try PropertyListEditor(Array(text.utf8), file: "F")
            let key = random.key()
            let value = random.value(depth: 0)
            let edited: [UInt8]
            do {
                edited = try editor.setting(key, to: value)
            } catch {
                // Only for the sake of a comment.
                #expect("\(error)".contains("a comment inside"), "seed \(seed): \(error)")
                continue
            }
            var expected = root
            expected[key] = value
            #expect(
                try PropertyListDocument(edited, file: "F").root == .dictionary(expected), "seed \(seed):\n\(text)")
            #expect(comments(text) == comments(String(decoding: edited, as: UTF8.self)), "seed \(seed)")
            let removed = try PropertyListEditor(edited, file: "F").removing(key)
            expected[key] = nil
            #expect(try PropertyListDocument(removed, file: "F").root == .dictionary(expected), "seed \(seed)")
            // All that was there before is there still, in its order.
            if root[key] == nil, !text.contains("<dict/>\n</plist>") {
                #expect(String(decoding: removed, as: UTF8.self) == text, "seed \(seed)")
            }
        }
    }

    private func comments(_ text: String) -> [String] {
        text.split(separator: "<!--").dropFirst().map { String($0.prefix { $0 != ">" }) }
    }
}

/// Makes property lists in all styles that people write, and what they hold.
private struct RandomList {
    private var random: SeededGenerator
    private var comments = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func key() -> String { ["A", "B", "GPSD", "Ä&<", "a b"].randomElement(using: &random) ?? "" }

    mutating func value(depth: Int) -> PropertyListValue {
        switch Int.random(in: 0..<(depth < 2 ? 6 : 4), using: &random) {
        case 0: .boolean(.random(using: &random))
        case 1: .integer(.random(in: -1000...1000, using: &random))
        case 2: .real(.random(in: -180...180, using: &random))
        case 3: .string(["", "x", "a < b & c > d", "zwei\nZeilen\r\t", "]]>", "é"].randomElement(using: &random) ?? "")
        case 4: .array((0..<Int.random(in: 0..<3, using: &random)).map { _ in value(depth: depth + 1) })
        default:
            .dictionary(
                Dictionary(
                    (0..<Int.random(in: 0..<3, using: &random)).map { _ in (key(), value(depth: depth + 1)) },
                    uniquingKeysWith: { $1 }))
        }
    }

    mutating func list() -> (text: String, root: [String: PropertyListValue]) {
        var root: [String: PropertyListValue] = [:]
        var body = ""
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let key = key()
            guard root[key] == nil else { continue }
            let value = value(depth: 0)
            root[key] = value
            body += "\(gap())<key>\(key.escapedForXML)</key>\(gap())\(element(value))"
        }
        let head = Bool.random(using: &random) ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
        guard !body.isEmpty || Bool.random(using: &random) else { return ("\(head)<plist><dict/>\n</plist>", root) }
        return ("\(head)<plist>\(gap())<dict>\(body)\(gap())</dict>\(gap())</plist>\n", root)
    }

    private mutating func gap() -> String {
        comments += 1
        return ["", " ", "\n", "\n    ", "\n\t", "\r\n  ", "<!-- \(comments) -->", "\n  <!-- \(comments) -->\n"]
            .randomElement(using: &random) ?? ""
    }

    private mutating func element(_ value: PropertyListValue) -> String {
        switch value {
        case .dictionary(let entries):
            "<dict>" + entries.map { "\(gap())<key>\($0.escapedForXML)</key>\(element($1))" }.joined()
                + "\(gap())</dict>"
        case .array(let elements): "<array>" + elements.map { "\(gap())\(element($0))" }.joined() + "</array>"
        case .string(let text): "<string>\(text.escapedForXML)</string>"
        case .boolean(let flag): flag ? "<true/>" : "<false/>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .real(let number): "<real>\(number)</real>"
        case .other: "<data/>"
        }
    }
}
