import SeededRandom
import Testing

@testable import StrictJSON

@Suite(.timeLimit(.minutes(10))) struct JSONScannerTests {
    /// The flaw of a whole text; `nil` if it is valid.
    private func flaw(_ bytes: [UInt8], isLenient: Bool = false) -> JSONFlaw? {
        var scanner = JSONScanner(bytes, isLenient: isLenient)
        do throws(JSONFlaw) {
            try scanner.skip()
            return scanner.isAtEnd ? nil : .malformed
        } catch {
            return error
        }
    }

    private func flaw(_ text: String) -> JSONFlaw? { flaw(Array(text.utf8)) }

    @Test(
        "values of RFC 8259 are accepted",
        arguments: [
            "null", "true", "false", "0", "-0", "12", "-1.5", "1e3", "1E+3", "0.1e-9", "1e999", #""""#, #""ä💥""#,
            #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#, "[]", "{}", " [ 1 , [ ] , { } ]\r\n\t", #"{"":{"":null}}"#,
            #"{"a":[{"a":1},{"a":2}],"b":{"a":1}}"#,
        ])
    func valid(text: String) { #expect(flaw(text) == nil) }

    @Test(
        "anything else is malformed",
        arguments: [
            "nil", "nulL", "True", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "'a'", "[1,]", "[,1]",
            "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "{1:1}", "[1}", #"{"a":1]"#, "1 2", "[]]",
            "]",
            "\"a\nb\"", "\"\u{0}\"", #""\x""#, #""\u12g4""#, #""\u+123""#, #""\ud800""#, #""\ud800x""#, #""\ud800\n""#,
            #""\ud800\u0041""#, #""\udc00""#, "\u{FEFF}{}", "/**/1", "1\u{0}", "\u{A0}1",
        ])
    func malformed(text: String) { #expect(flaw(text) == .malformed || flaw(text) == .cutShort) }

    @Test(
        "invalid UTF-8 is malformed, in values and in names",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func encoding(bytes: [UInt8]) {
        #expect(flaw(Array("[\"x".utf8) + bytes + Array("\"]".utf8)) == .malformed)
        #expect(flaw(Array("{\"".utf8) + bytes + Array("\":1}".utf8)) == .malformed)
        #expect(flaw(bytes) == .malformed)
    }

    @Test(
        "every prefix of a document is reported as incomplete",
        arguments: [#"{"a":[true,-1.5e3,"é\u00e9\ud83d\ude00"],"b":null}"#])
    func prefixes(text: String) {
        let bytes = Array(text.utf8)
        #expect(flaw(bytes) == nil)
        for length in bytes.indices { #expect(flaw(Array(bytes[..<length])) == .cutShort, "\(length) bytes") }
    }

    @Test("nesting is accepted to the greatest depth, and no deeper", arguments: [("[", "]"), (#"{"":"#, "}")])
    func depth(opening: String, closing: String) {
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth - 1) + "[]" + String(repeating: closing, count: depth - 1)
        }
        #expect(flaw(nested(JSONScanner.maximumDepth)) == nil)
        #expect(flaw(nested(JSONScanner.maximumDepth + 1)) == .tooDeep)
        #expect(flaw(String(repeating: opening, count: 1_000_000)) == .tooDeep)
    }

    @Test(
        "a repeated name is refused with its path, however it is written",
        arguments: [
            (#"{"a":1,"a":1}"#, "a"), (#"{"a":1,"\u0061":1}"#, "a"), (#"{"b":{"c":[0,{"d":1,"d":2}]}}"#, "b.c[1].d"),
            (#"[[{"x":1,"x":1}]]"#, "[0][0].x"), (#"{"é":1,"e\u0301":2}"#, "e\u{301}"), (#"{"":1,"":2}"#, ""),
            ("{\((0..<40).map { "\"n\($0)\":0," }.joined())\"n7\":1}", "n7"),
        ])
    func repeatedName(text: String, path: String) {
        #expect(flaw(text) == .repeatedName(path: path))
        #expect(flaw(Array(text.utf8), isLenient: true) == nil)
    }

    @Test("equal names in different objects are not repeated")
    func namesOfOtherObjects() {
        #expect(flaw(#"{"a":{"a":1,"b":{"a":1}},"b":[{"a":1},{"a":2}],"c":1}"#) == nil)
    }

    @Test("values are read one after the other, with their lines")
    func pull() throws {
        var scanner = JSONScanner(Array("{\"id\": \"x\\u00e9\",\n\"list\": [1, true,\n {\"y\": 2}], \"z\": null}".utf8))
        try scanner.openObject()
        #expect(try scanner.nextMember() == "id")
        #expect(try scanner.string() == "xé")
        #expect(try scanner.nextMember() == "list")
        #expect(scanner.line == 2)
        try scanner.openArray()
        #expect(try scanner.nextElement())
        #expect(try scanner.number() == 1)
        #expect(try scanner.nextElement())
        #expect(try scanner.boolean())
        #expect(try scanner.nextElement())
        let kind = try scanner.kind
        #expect(kind == .object)
        #expect(scanner.line == 3)
        try scanner.skip()
        #expect(try !scanner.nextElement())
        #expect(try scanner.nextMember() == "z")
        #expect(throws: JSONFlaw.malformed) { try scanner.number() }
        try scanner.skip()
        #expect(try scanner.nextMember() == nil)
        let isAtEnd = scanner.isAtEnd
        #expect(isAtEnd)
    }
}

@Suite(.timeLimit(.minutes(10))) struct JSONOutlineTests {
    private func outline(_ text: String) throws -> JSONOutline { try JSONOutline(Array(text.utf8)) }

    @Test("short numbers are rounded as long ones are")
    func shortNumbers() throws {
        var random = SeededGenerator(seed: 0x6E75_6D62)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 1...17, using: &random)
            var text = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            text = text.first == "0" ? "0." + text : text
            if !text.contains("."), Bool.random(using: &random), text.count > 1 {
                text.insert(
                    ".", at: text.index(text.startIndex, offsetBy: Int.random(in: 1..<text.count, using: &random)))
            }
            if Bool.random(using: &random) { text = "-" + text }
            let number = try outline("{\"x\":\(text)}")["x"]?.number
            #expect(number?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test("members have their types; absent and null ones are nil")
    func members() throws {
        let outline = try outline(
            #"{"s":"a\nb","n":-1.5e1,"i":0.3e1,"t":true,"f":false,"o":{"x":1},"l":[{"x":1},{"x":2}],"z":null,"m":[1]}"#)
        #expect(outline["s"]?.string == "a\nb")
        #expect(outline["n"]?.number == -15)
        #expect(outline["i"]?.integer == 3)
        #expect(outline["t"]?.boolean == true && outline["f"]?.boolean == false)
        #expect(outline["o"]?.isObject == true && outline["s"]?.isObject == false)
        #expect(outline["o"].map { String(decoding: $0.text, as: UTF8.self) } == #"{"x":1}"#)
        #expect(outline["l"]?.objects?.map { $0["x"]?.integer } == [1, 2])
        #expect(outline["z"] == nil && outline["absent"] == nil)
        #expect(outline["m"]?.objects == nil && outline["s"]?.objects == nil)
        #expect(outline["s"]?.number == nil && outline["n"]?.string == nil && outline["n"]?.boolean == nil)
    }

    @Test("a member is found however its name is written")
    func escapedName() throws {
        #expect(try outline(#"{"\u006dore":true}"#)["more"]?.boolean == true)
    }

    @Test(
        "integers are exact",
        arguments: [
            ("3", 3), ("3.0", 3), ("-0", 0), ("9007199254740991", 9_007_199_254_740_991), ("9007199254740992", nil),
            ("1.5", nil), ("1e300", nil),
        ] as [(String, Int?)])
    func integers(text: String, expected: Int?) throws {
        #expect(try outline(#"{"a":\#(text)}"#)["a"]?.integer == expected)
    }

    @Test("a number beyond the range of Double has no value")
    func infiniteNumber() throws {
        #expect(try outline(#"{"a":1e999}"#)["a"]?.number == nil)
    }

    @Test("only a whole object is accepted", arguments: ["", "[]", "1", "{}{}", "{} x", "{"])
    func noObject(text: String) {
        #expect(throws: JSONFlaw.self) { try outline(text) }
    }
}
