/// An input as a script: bytes to send, and instructions for other events.
///
/// Control characters, which JSON does not need, begin instructions of two bytes: a number and an argument. So a stream
/// of messages is a script by itself, and the fuzzer's dictionary can hold both.
struct Script: Sequence, IteratorProtocol {
    enum Step {
        /// Bytes to send in one piece.
        case send(ArraySlice<UInt8>)
        /// Instruction 1 to 31, without tab, line feed and carriage return, with its argument.
        case instruction(UInt8, argument: UInt8)
    }

    /// Sends the next byte even if it is a control character.
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

/// Choices made from bytes in order; zeros when they are used up.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func one<T>(of choices: [T]) -> T { choices[Int(byte()) % choices.count] }
}
