/// An application by its desktop file: its name, its reason for asking for the location, and its programs.
///
/// Source: the Desktop Entry Specification 1.5, and GeoClue's `X-Geoclue-Reason`.
public struct DesktopEntry: Hashable, Sendable {
    /// `Name`, in the requested language if possible.
    public let name: String
    /// `X-Geoclue-Reason`, likewise; `nil` if there is none.
    public let reason: String?
    /// `Icon`: the name of an icon, or the path of its file; `nil` if there is none.
    public let icon: String?
    /// The programs whose running process is this application, by path or by name: `TryExec`, and `Exec` if it starts its
    /// program with nothing but options and field codes. With other arguments, which may name a script or another program
    /// to run, the program of `Exec` is not the application.
    public let programs: [String]

    /// The size limits of the texts, in bytes.
    private static let (longestName, longestReason, longestPath) = (128, 512, 1024)

    /// True if `text` can be the id of a desktop file, so that its file name cannot lead out of the directory.
    public static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 - ".desktop".utf8.count && !text.hasPrefix(".")
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// Reads a desktop file; `nil` if it has no name.
    ///
    /// - Parameter language: in the form of `$LANG`, such as `de_AT.UTF-8@euro`.
    public init?(_ text: String, language: String) {
        let languages = Self.languages(language)
        var found: [Substring: (rank: Int, text: String)] = [:]
        var isInEntry = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                isInEntry = line == "[Desktop Entry]"
                continue
            }
            guard isInEntry, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: equals)...].drop(while: \.isWhitespace)
            var key = line[..<equals]
            while key.last?.isWhitespace == true { key.removeLast() }
            var rank = languages.count
            if key.last == "]", let bracket = key.firstIndex(of: "[") {
                let locale = key[key.index(after: bracket)...].dropLast()
                guard let index = languages.firstIndex(where: { $0 == locale }) else { continue }
                (rank, key) = (index, key[..<bracket])
            }
            if found[key].map({ rank < $0.rank }) ?? true { found[key] = (rank, Self.unescape(value)) }
        }
        guard let name = found["Name"].flatMap({ Self.line($0.text, Self.longestName) }) else { return nil }
        self.name = name
        reason = found["X-Geoclue-Reason"].flatMap { Self.line($0.text, Self.longestReason) }
        icon = found["Icon"].flatMap { Self.line($0.text, Self.longestPath) }
        let command = found["Exec"].flatMap { Self.words($0.text) } ?? []
        let isPlain = command.dropFirst().allSatisfy { $0.hasPrefix("-") || $0.hasPrefix("%") }
        programs = [found["TryExec"]?.text, isPlain ? command.first : nil].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// The arguments of a command line (*The Exec key*); `nil` if a quotation does not end.
    private static func words(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            switch character {
            case _ where isEscaped:
                word = (word ?? "") + String(character)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                words += [word].compactMap { $0 }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return isQuoted ? nil : words + [word].compactMap { $0 }
    }

    /// The locales of keys for a language, the best first (*Localized values for keys*).
    private static func languages(_ text: String) -> [String] {
        var rest = Substring(text)
        func cut(_ separator: Character) -> Substring? {
            guard let index = rest.firstIndex(of: separator) else { return nil }
            defer { rest = rest[..<index] }
            return rest[rest.index(after: index)...]
        }
        let modifier = cut("@")
        _ = cut(".")
        let country = cut("_")
        let variants = [
            country.flatMap { country in modifier.map { "\(rest)_\(country)@\($0)" } },
            country.map { "\(rest)_\($0)" }, modifier.map { "\(rest)@\($0)" }, String(rest),
        ]
        return variants.compactMap { $0 }.filter { !$0.isEmpty }
    }

    private static func unescape(_ value: Substring) -> String {
        var text = ""
        var isEscaped = false
        for character in value {
            switch (isEscaped, character) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "s"), (true, "n"), (true, "t"), (true, "r"): text.append(" ")
            default: text.append(character)
            }
            isEscaped = false
        }
        return text
    }

    /// The text as one line without invisible characters, cut to size; `nil` if it is blank.
    private static func line(_ text: String, _ longest: Int) -> String? {
        var line = String(String.UnicodeScalarView(text.unicodeScalars.filter(\.isShown)))
        while line.utf8.count > longest { line.removeLast() }
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}

extension Unicode.Scalar {
    /// True if it shows as itself: not a control character, and nothing that reorders or hides the text around it.
    package var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
