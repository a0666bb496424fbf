// Text from elsewhere (a client's declaration, a path, a name) that is printed or logged must neither control the terminal
// nor imitate this project's own output. This is the only definition of such characters.

extension Unicode.Scalar {
    /// True for characters that a terminal may treat as a command, that change the direction of writing, that end a line,
    /// or that are invisible, wherever they stand.
    package var isUnsafeToShow: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        // Selectors of variants, fillers of Hangul, and the empty pattern of Braille.
        default: properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }
}

extension StringProtocol {
    /// True if a character is unsafe to show where it stands: an invisible one is safe where it shapes its neighbours.
    package var isUnsafeToShow: Bool {
        // Nearly all text is ASCII, in which only control characters are unsafe.
        guard utf8.contains(where: { !(0x20..<0x7F).contains($0) }),
            unicodeScalars.contains(where: \.isUnsafeToShow)
        else { return false }
        let scalars = Array(unicodeScalars)
        return scalars.indices.contains { scalars.isUnsafeToShow(at: $0) }
    }

    /// The text with escapes such as `\u{202E}` in place of unsafe characters.
    package var escapingUnsafe: String { replacingUnsafe { $0.escaped(asASCII: true) } }

    /// The text with something else in place of each unsafe character.
    package func replacingUnsafe(_ replacement: (Unicode.Scalar) -> String) -> String {
        guard isUnsafeToShow else { return String(self) }
        let scalars = Array(unicodeScalars)
        return scalars.indices.map { index in
            scalars.isUnsafeToShow(at: index) ? replacement(scalars[index]) : String(scalars[index])
        }.joined()
    }
}

extension [Unicode.Scalar] {
    fileprivate func isUnsafeToShow(at index: Int) -> Bool {
        self[index].isUnsafeToShow && !shapesNeighbours(at: index)
    }
}
