import TextSupport

extension Unicode.Scalar {
    /// True if it is drawn over the preceding character.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Its width in terminal cells, estimated upwards, so that a terminal never breaks a line by itself. The letters of Vietnamese and
    /// of old Greek, dashes and quotation marks have one.
    fileprivate var width: Int {
        isMark ? 0 : value < 0x1100 || (0x1E00..<0x2070).contains(value) ? 1 : 2
    }
}

extension String {
    /// The text without characters that are unsafe to show, such as line feeds, each of which becomes a replacement
    /// character, and with at most three marks on each letter, because more would be drawn over other lines.
    package var harmless: String {
        // Nearly all texts are printable ASCII, which is safe.
        guard utf8.contains(where: { !(0x20..<0x7F).contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in replacingUnsafe({ _ in "\u{FFFD}" }).unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            // Letters of living languages have up to three marks. A mark without a letter gets a dotted circle, because it
            // would be drawn over the preceding text of this program.
            if marks == 1, result.last ?? " " == " " { result.append("\u{25CC}") }
            if marks <= 3 { result.append(scalar) }
        }
        return String(result)
    }

    /// The text on one line for people: harmless, with single spaces, and without its middle if it is longer than `limit`
    /// characters.
    package func shown(limit: Int = 512) -> String {
        var single = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if !scalar.properties.isWhitespace {
                single.append(scalar)
            } else if single.last != " " {
                single.append(" ")
            }
        }
        let line = String(single).harmless
        guard line.count > limit else { return line }
        return line.prefix(limit / 2) + "…" + line.suffix(limit - limit / 2)
    }

    /// Its width in terminal cells, estimated upwards.
    package var cells: Int { unicodeScalars.reduce(0) { $0 + $1.width } }

    /// The text in quotation marks. Quotation marks in it become apostrophes.
    package func quoted(limit: Int = 512) -> String {
        let inner = shown(limit: limit).map { "“”„‟«»\"".contains($0) ? "'" : $0 }
        return "“\(String(inner))”"
    }

    /// A line of a report in lines of less than `width` cells; all but the first begin with `indentation`. A command to run is
    /// not broken, so that it can be copied, but begins a line.
    package func hanging(width: Int?, indentation: String) -> [String] {
        guard let width, cells >= width, width > indentation.count + 20 else { return [self] }
        guard let command = firstRange(of: "run: ") else { return wrapped(width: width, indentation: indentation) }
        let sentence = self[..<command.lowerBound] + "run:"
        return String(sentence).wrapped(width: width, indentation: indentation)
            + [indentation + String(self[command.upperBound...])]
    }

    /// The text in lines of less than `width` cells; all but the first begin with `indentation`, so that the text of a client
    /// cannot look like a line of this program.
    package func wrapped(width: Int?, indentation: String = "      ") -> [String] {
        guard let width else { return [self] }
        var lines: [String] = []
        var line = ""
        var cells = 0
        for character in self {
            let size = String(character).cells
            // The last cell stays free, because some terminals begin a new line when it is filled.
            if cells + size >= width, cells > indentation.count {
                let space = line.dropFirst(indentation.count).lastIndex(of: " ")
                let rest = space.map { String(line[line.index(after: $0)...]) } ?? ""
                lines.append(space.map { String(line[..<$0]) } ?? line)
                line = indentation + rest
                cells = line.cells
                // The space at which the line was broken.
                if character == " ", rest.isEmpty { continue }
            }
            line.append(character)
            cells += size
        }
        return lines + [line]
    }
}
