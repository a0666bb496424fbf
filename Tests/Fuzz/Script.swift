/// An input as a conversation: bytes that are sent as they are, and between them what else happens.
///
/// Control characters, which JSON does not need, are instructions of two bytes: which, and an argument. So a stream of
/// messages is a script of itself, and the fuzzer's dictionary can hold both.
struct Script: Sequence, IteratorProtocol {
    enum Step {
        /// These are sent in one piece.
        case send(ArraySlice<UInt8>)
        /// Instruction 1 to 31, without tab, line feed and carriage return, with its argument.
        case instruction(UInt8, argument: UInt8)
    }

    /// The next byte is sent even if it is a control character.
    private static let escape: UInt8 = 0x1B

    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    mutating func next() -> Step? {
        guard let first = rest.first else { return nil }
        guard Self.isInstruction(first) else {
            let text = rest.prefix { !Self.isInstruction($0) }
            rest = rest.dropFirst(text.count)
            return .send(text)
        }
        let operand = rest.dropFirst().prefix(1)
        rest = rest.dropFirst(2)
        return first == Self.escape ? .send(operand) : .instruction(first, argument: operand.first ?? 0)
    }

    private static func isInstruction(_ byte: UInt8) -> Bool {
        (1..<0x20).contains(byte) && !"\t\n\r".utf8.contains(byte)
    }
}

/// Choices made from bytes, one after the other; zeros once they are used up.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func one<T>(of choices: [T]) -> T { choices[Int(byte()) % choices.count] }
}
