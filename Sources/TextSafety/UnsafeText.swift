// Text from elsewhere (a client's declaration, a path, a name) that is printed or logged must neither control the terminal
// nor imitate this project's own output. This is the only definition of such characters.

extension Unicode.Scalar {
    /// True for characters that a terminal may treat as a command, that change the direction of writing, that end a line,
    /// or that are invisible.
    package var isUnsafeToShow: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        // Letters and symbols without a shape: the fillers of Hangul and the empty pattern of Braille.
        default: [0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0].contains(value)
        }
    }
}

extension StringProtocol {
    /// True if a character is unsafe to show.
    package var isUnsafeToShow: Bool {
        // Nearly all text is ASCII, in which only control characters are unsafe.
        utf8.contains { !(0x20..<0x7F).contains($0) } && unicodeScalars.contains(where: \.isUnsafeToShow)
    }

    /// The text with escapes such as `\u{202E}` in place of unsafe characters.
    package var escapingUnsafe: String {
        guard isUnsafeToShow else { return String(self) }
        return unicodeScalars.map { $0.isUnsafeToShow ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}
