/// Splits a description into tokens with their positions.
///
/// White space and comments separate tokens and are skipped; the comment lines directly above a token are kept as its
/// documentation. An empty line separates a comment from what follows.
struct InterfaceScanner {
    enum Token: Equatable {
        /// Letters, digits, `_`, `-` and `.`: names and keywords.
        case word(String)
        /// `(`, `)`, `:`, `,`, `?`, `->`, `[]`, `[string]`
        case sign(String)
        case end

        var description: String {
            switch self {
            case .word(let text), .sign(let text): "\"\(text)\""
            case .end: "the end of the text"
            }
        }
    }

    private static let signs = ["->", "[string]", "[]", "(", ")", ":", ",", "?"].map { ($0, Array($0.utf8)) }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    /// The current token and its position.
    private(set) var token = Token.end
    private(set) var tokenLine = 1
    private(set) var tokenColumn = 1
    /// The comment above the current token.
    private(set) var documentation = ""

    init(_ text: String) throws(InterfaceDescriptionError) {
        bytes = Array(text.utf8)
        try advance()
    }

    func error(_ reason: String) -> InterfaceDescriptionError {
        InterfaceDescriptionError(line: tokenLine, column: tokenColumn, reason: reason)
    }

    /// Moves to the next token.
    mutating func advance() throws(InterfaceDescriptionError) {
        skipSpace()
        tokenLine = line
        tokenColumn = position - lineStart + 1
        guard position < bytes.count else {
            token = .end
            return
        }
        for (text, sign) in Self.signs where bytes[position...].starts(with: sign) {
            position += sign.count
            token = .sign(text)
            return
        }
        if Self.isWordByte(bytes[position]) {
            token = .word(takeWord())
            return
        }
        throw error("unexpected \(Self.quoted(bytes[position]))")
    }

    private mutating func takeWord() -> String {
        let start = position
        while position < bytes.count, Self.isWordByte(bytes[position]) {
            // The arrow may follow a word without a space; a dash inside a name is followed by more of the name.
            if bytes[position...].starts(with: [UInt8(ascii: "-"), UInt8(ascii: ">")]) { break }
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipSpace() {
        var comments: [Substring] = []
        var lineIsEmpty = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\n"):
                position += 1
                line += 1
                lineStart = position
                if lineIsEmpty { comments = [] }
                lineIsEmpty = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "#"):
                lineIsEmpty = false
                comments.append(takeComment())
            default:
                documentation = comments.joined(separator: "\n")
                return
            }
        }
        documentation = comments.joined(separator: "\n")
    }

    private mutating func takeComment() -> Substring {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        let text = Substring(decoding: bytes[start..<position], as: UTF8.self)
        return text.first == " " ? text.dropFirst() : text
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func quoted(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte) ? "\"\(Character(UnicodeScalar(byte)))\"" : "byte \(byte)"
    }
}
