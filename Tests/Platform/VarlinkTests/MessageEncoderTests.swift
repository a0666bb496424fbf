import FoundationEssentials
import SeededRandom
import Testing

@testable import Varlink

/// The text of encoded messages, and its agreement with other JSON decoders.
@Suite("Encoding messages", .timeLimit(.minutes(10))) struct MessageEncoderTests {
    private struct Place: Codable, Equatable {
        var name = "Sète"
        var position = Position()
        var tags: [String?] = ["a", nil]
        var note: String?
        var isHere = true

        struct Position: Codable, Equatable {
            var latitude = 43.4
            var longitude = -3.0
        }
    }

    private struct Empty: Codable, Equatable {}
    private struct Silent: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    private class Base: Encodable {
        let a = 1
    }

    private final class Derived: Base {
        private enum Key: CodingKey { case b }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try super.encode(to: container.superEncoder())
            try container.encode(2, forKey: .b)
        }
    }

    /// A value that encodes itself as the test says.
    private struct Scripted: Encodable {
        enum Key: CodingKey { case a, b }

        let script: (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try script(encoder) }
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try MessageEncoder.encode(value), as: UTF8.self)
    }

    @Test("members are in the order of their declaration, and absent ones are omitted")
    func order() throws {
        let expected =
            #"{"name":"Sète","position":{"latitude":43.4,"longitude":-3.0},"tags":["a",null],"isHere":true}"#
        #expect(try text(Place()) == expected)
        #expect(try JSONDecoder().decode(Place.self, from: Data(expected.utf8)) == Place())
    }

    @Test("numbers are exact")
    func numbers() throws {
        #expect(try text([Int64.min, .max]) == "[-9223372036854775808,9223372036854775807]")
        #expect(try text([UInt64.max]) == "[18446744073709551615]")
        #expect(try text([UInt8(7)]) == "[7]")
        #expect(try text([Float(0.1)]) == "[0.1]")
        let doubles = [0.1, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, 1e-5, 123_456_789.123_456_78]
        #expect(try JSONDecoder().decode([Double].self, from: Data(MessageEncoder.encode(doubles))) == doubles)
    }

    @Test("strings with any characters survive")
    func strings() throws {
        #expect(try text(["\"\\/\n\u{1F}\u{0}"]) == #"["\"\\/\u000a\u001f\u0000"]"#)
        let everything = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init))) + "🧭"
        #expect(
            try JSONDecoder().decode([String].self, from: Data(MessageEncoder.encode([everything]))) == [everything])
    }

    @Test("a value that encodes nothing is an empty object")
    func nothing() throws {
        #expect(try text(Empty()) == "{}")
        #expect(try text(Silent()) == "{}")
        #expect(try text([Silent(), Silent()]) == "[{},{}]")
        #expect(try text([String: Silent]()) == "{}")
        #expect(try text([[Int]]()) == "[]")
        let unused = Scripted { encoder in
            var container = encoder.container(keyedBy: Scripted.Key.self)
            _ = container.superEncoder()
            try container.encode([1], forKey: .b)
        }
        #expect(try text(unused) == #"{"super":{},"b":[1]}"#)
    }

    @Test("containers nest")
    func nesting() throws {
        #expect(try text(Derived()) == #"{"super":{"a":1},"b":2}"#)
        let nested = Scripted { encoder in
            var outer = encoder.container(keyedBy: Scripted.Key.self)
            var list = outer.nestedUnkeyedContainer(forKey: .a)
            var inner = list.nestedContainer(keyedBy: Scripted.Key.self)
            try inner.encodeNil(forKey: .b)
            try list.encode(2)
            var deepest = list.nestedUnkeyedContainer()
            try deepest.encode("x")
            #expect(list.count == 3)
            // Requested again, the container is the same.
            var again = encoder.container(keyedBy: Scripted.Key.self)
            try again.encode(true, forKey: .b)
        }
        #expect(try text(nested) == #"{"a":[{"b":null},2,["x"]],"b":true}"#)
    }

    @Test("a value without a JSON form is an error with its path", arguments: [Double.nan, .infinity, -.infinity])
    func inexpressible(number: Double) throws {
        let error = #expect(throws: EncodingError.self) { try text(["list": [1, number]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["list", "1"])
    }

    @Test("filling containers out of order is an error")
    func disorder() throws {
        let interleaved = Scripted { encoder in
            var outer = encoder.container(keyedBy: Scripted.Key.self)
            var first = outer.nestedContainer(keyedBy: Scripted.Key.self, forKey: .a)
            _ = outer.nestedContainer(keyedBy: Scripted.Key.self, forKey: .b)
            try first.encode(1, forKey: .a)
        }
        #expect(throws: EncodingError.self) { try text(interleaved) }
        let both = Scripted { encoder in
            var object = encoder.container(keyedBy: Scripted.Key.self)
            try object.encode(1, forKey: .a)
            var list = encoder.unkeyedContainer()
            try list.encode(1)
        }
        #expect(throws: EncodingError.self) { try text(both) }
        let twice = Scripted { encoder in
            var value = encoder.singleValueContainer()
            try value.encode(1)
            try value.encode(2)
        }
        #expect(throws: EncodingError.self) { try text(twice) }
        let late = Scripted { encoder in
            var outer = encoder.unkeyedContainer()
            let unused = outer.superEncoder()
            try outer.encode(1)
            _ = unused.unkeyedContainer()
        }
        #expect(throws: EncodingError.self) { try text(late) }
    }

    @Test("members are written one by one")
    func members() throws {
        let bytes = try JSONMembers.encode { members in
            try members.add("a") { try $0.add("b", 1.5) }
            try members.add("c", "\"")
            try members.add("d", nil as Double?)
            try members.add("e") { _ in }
            try members.add("f", false)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":{"b":1.5},"c":"\"","e":{},"f":false}"#)
        #expect(throws: EncodingError.self) { try JSONMembers.encode { try $0.add("a", Double.infinity) } }
    }

    @Test("other decoders read every encoded value")
    func anything() throws {
        var random = SeededGenerator(seed: 20_261_121)
        for _ in 0..<2000 {
            let value = JSONValue.object(["value": .random(depth: 4, using: &random)])
            let bytes = try MessageEncoder.encode(value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) == value)
        }
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using random: inout some RandomNumberGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .number(.random(in: -1...1, using: &random) / 3)
        case 4: return .string(text(using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in self.random(depth: depth - 1, using: &random) })
        default:
            let keys = Set((0..<Int.random(in: 0..<4, using: &random)).map { _ in text(using: &random) })
            return .object(
                keys.sorted().reduce(into: [:]) { $0[$1] = self.random(depth: depth - 1, using: &random) })
        }
    }

    private static func text(using random: inout some RandomNumberGenerator) -> String {
        String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 0..<8, using: &random)).compactMap { _ in
                    Unicode.Scalar(UInt32.random(in: 0..<0x300, using: &random))
                }))
    }
}
