import SeededRandom
import LocationPolicy
import Testing

@testable import LocationConfiguration

/// What is refused before any key is looked at.
@Suite(.timeLimit(.minutes(10))) struct MalformedListTests {
    static let doctype = "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/x.dtd\""

    @Test(
        "malformed XML lists are refused with the line",
        arguments: [
            ("", []),
            (
                "{ HistoryDays = 3; }",
                ["F: This is not an XML property list in UTF-8; the old text format is not supported."]
            ),
            ("bplist00\u{D0}", ["F: This is a binary property list, which is not supported. Write it as XML."]),
            ("<plist>\n<dict>\n</array>\n</plist>", ["F:3: This is not well-formed XML: mismatched tag."]),
            ("<plist>\n<dict>\n", ["F:3: This is not well-formed XML: no element found."]),
            ("<plist><dict/></plist>x", ["F:1: This is not well-formed XML: junk after document element."]),
            ("<plist>\n\n<string>&nbsp;</string></plist>", ["F:3: This is not well-formed XML: undefined entity."]),
            ("<html/>", ["F:1: A property list begins with <plist>, not with <html>."]),
            ("<plist>\n</plist>", ["F:2: This property list holds no value."]),
            (xml("<dict/>\n<dict/>"), ["F:3: A property list holds one value; this is a second one."]),
            (xml("<dict>\n<true/></dict>"), ["F:3: This value has no <key> before it."]),
            (xml("<dict>\n<key>a</key>\n<key>b</key>\n<true/></dict>"), ["F:4: The key before this one has no value."]),
            (xml("<dict>\n<key>a</key>\n</dict>"), ["F:4: The last key of this dictionary has no value."]),
            (xml("<dict>\n<kee>a</kee></dict>"), ["F:3: <kee> cannot stand here in a property list."]),
            (xml("<string><true/></string>"), ["F:2: An element <string> cannot contain <true>."]),
            (xml("<dict><key><true/></key></dict>"), ["F:2: A <key> cannot contain <true>."]),
            (xml("<array>\nx</array>"), ["F:3: This text is outside of any value."]),
            (xml("<string>a<!-- b --></string>"), ["F:2: A comment cannot stand inside a key or value."]),
            (xml("<dict><key>a</key><true>x</true></dict>"), ["F:2: <true> cannot contain text."]),
            (xml("<array/>"), ["F:2: This must be a dictionary, not an array."]),
            (
                xml("<dict><key>CF$UID</key><integer>1</integer></dict>"),
                ["F:2: [\"CF$UID\"]: This key is not known here."]
            ),
            (
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n\(xml("<dict/>"))",
                ["F:1: This must be in UTF-8, not in \"ISO-8859-1\"."]
            ),
            ("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\(doctype)>\n\(xml("<dict/>"))", []),
            ("\u{FEFF}\n\(xml("<dict/>"))", []),
            (
                "\(doctype)>\n\(xml("<string>&nbsp;</string>"))",
                ["F:3: The entity &nbsp; is not known; write the text itself."]
            ),
        ])
    func malformedXMLIsRefused(text: String, expected: [String]) throws {
        #expect(try problems(text.utf8) == expected)
    }

    @Test("entities are not expanded")
    func entitiesAreNotExpanded() throws {
        let declarations = (1...9).map { "<!ENTITY a\($0) \"&a\($0 - 1);&a\($0 - 1);\">" }.joined(separator: "\n")
        let bomb = "<!DOCTYPE plist [\n<!ENTITY a0 \"ha\">\n\(declarations)]>\n\(xml("<string>&a9;</string>"))"
        #expect(
            try problems(bomb.utf8) == ["F:1: A DOCTYPE with declarations of its own is refused; remove them."])
    }

    @Test("duplicate keys are reported with both lines")
    func duplicateKeysAreReportedWithBothLines() throws {
        let text = xml(
            """
            <dict>
            <key>HistoryDays</key><integer>3</integer>
            <key>Limits</key><dict>
            <key>MessageSize</key><integer>5000</integer>
            <key>MessageSize</key><integer>5000</integer>
            </dict>
            <key>HistoryDays</key><integer>3</integer>
            </dict>
            """)
        #expect(
            try problems(text.utf8) == [
                "F:6: Limits.MessageSize: This key is already on line 5; keep one of the two.",
                "F:8: HistoryDays: This key is already on line 3; keep one of the two.",
            ])
    }

    @Test("the depth of nesting is limited", arguments: [63, 64, 65, 10_000])
    func nestingIsBounded(depth: Int) throws {
        let arrays = xml(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
        let tooDeep = "This is nested deeper than 64 levels."
        let noDictionary = "This must be a dictionary, not an array."
        #expect(try problems(arrays.utf8) == ["F:2: \(depth > 64 ? tooDeep : noDictionary)"])
    }

    @Test("the number of values is limited")
    func numberOfValuesIsLimited() throws {
        let many = xml("<array>\(String(repeating: "<true/>", count: 20_000))</array>")
        #expect(try problems(many.utf8) == ["F:2: This has more than 20000 values."])
    }

    @Test("the size of files is limited")
    func filesAreBounded() throws {
        let large = xml("<dict/>") + String(repeating: " ", count: 1 << 20)
        #expect(try problems(large.utf8) == ["F: This is larger than 1048576 bytes."])
    }

    /// Without the newline at the end, without which the list is whole too.
    static let good = [UInt8](
        client("org.example.Weather", "<key>Policy</key><dict><key>Restricted</key><true/></dict>").utf8.dropLast())

    @Test("no prefix of a valid file is accepted")
    func prefixOfFileNeverLoads() throws {
        func loads(_ bytes: [UInt8]) -> Bool {
            guard let document = try? PropertyListDocument(bytes, file: "F") else { return false }
            return ClientDeclaration.read(document).problems.isEmpty
        }
        #expect(loads(Self.good))
        for length in Self.good.indices { #expect(!loads(Array(Self.good[..<length])), "\(length) bytes") }
    }

    @Test("no mutation of a valid file crashes the parser", arguments: [1, 2, 3] as [UInt64])
    func noMutationCrashes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            var mutated = Self.good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: mutated.indices, using: &generator)
                mutated[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            guard let document = try? PropertyListDocument(mutated, file: "F") else { continue }
            _ = ClientDeclaration.read(document)
            _ = DaemonConfiguration.read(document)
        }
    }
}
