enum Key: Hashable, Sendable {
    case up
    case down
    case left
    case right
    case character(Unicode.Scalar)
}

/// Parses the bytes that a terminal sends for keys.
///
/// It sends characters, and for other keys control sequences (ECMA-48, 5.4; xterm's "Control Sequences"), which may
/// arrive in pieces. Unknown sequences are skipped as a whole, so that no part of them is taken for a key. Pasted text,
/// which the terminal brackets (mode 2004), is skipped, too.
struct KeyParser {
    private enum State: Equatable {
        case ground
        case escape
        /// After `ESC [`, with the bytes since.
        case control([UInt8])
        /// After `ESC O`, before the single character that follows.
        case singleShift
        /// Skips this many bytes: the rest of a character, or of a report of the mouse.
        case skipping(Int)
        /// In a string of the terminal, up to BEL or `ESC \`.
        case string(sawEscape: Bool)
        /// In pasted text, with its last bytes.
        case paste([UInt8])
    }

    private var state = State.ground
    private var lastTime = Duration.zero

    private static let escape: UInt8 = 0x1b
    private static let pasteEnd = Array("\u{1b}[201~".utf8)

    /// Parses bytes that arrived at `now`, on a monotonic clock. Returns the complete keys.
    mutating func read(_ bytes: some Sequence<UInt8>, at now: Duration) -> [Key] {
        // An old incomplete sequence is the escape key alone, or a truncated sequence.
        let patience: Duration = state == .escape ? .milliseconds(100) : .seconds(1)
        if now - lastTime > patience { state = .ground }
        lastTime = now
        return bytes.compactMap { read($0) }
    }

    private mutating func read(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return begin(byte)
        case .escape: afterEscape(byte)
        case .control(let parameters): return control(byte, parameters)
        case .singleShift:
            state = .ground
            return Self.arrow(byte)
        case .skipping(let count): state = count > 1 ? .skipping(count - 1) : .ground
        case .string(let sawEscape):
            let isOver = byte == 0x07 || sawEscape && byte == UInt8(ascii: "\\")
            state = isOver ? .ground : .string(sawEscape: byte == Self.escape)
        case .paste(let last):
            let recent = Array((last + [byte]).suffix(Self.pasteEnd.count))
            state = recent == Self.pasteEnd ? .ground : .paste(recent)
        }
        return nil
    }

    private mutating func begin(_ byte: UInt8) -> Key? {
        switch byte {
        case Self.escape: state = .escape
        case 0x20...0x7e: return .character(Unicode.Scalar(byte))
        case 0xc2...0xdf: state = .skipping(1)
        case 0xe0...0xef: state = .skipping(2)
        case 0xf0...0xf4: state = .skipping(3)
        default: break
        }
        return nil
    }

    private mutating func afterEscape(_ byte: UInt8) {
        state =
            switch byte {
            case Self.escape: .escape
            case UInt8(ascii: "["): .control([])
            case UInt8(ascii: "O"): .singleShift
            case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"):
                .string(sawEscape: false)
            default: .ground
            }
    }

    private mutating func control(_ byte: UInt8, _ parameters: [UInt8]) -> Key? {
        switch byte {
        case Self.escape: state = .escape
        // No known sequence is so long.
        case 0x20...0x3f: state = .control(parameters.count < 32 ? parameters + [byte] : parameters)
        case UInt8(ascii: "["): state = .skipping(1)
        case UInt8(ascii: "M") where parameters.isEmpty: state = .skipping(3)
        case UInt8(ascii: "~") where parameters == Array("200".utf8): state = .paste([])
        case 0x40...0x7e:
            state = .ground
            return Self.arrow(byte)
        default: state = .ground
        }
        return nil
    }

    private static func arrow(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }
}
