import TextSafety

extension Unicode.Scalar {
    /// Whether it is drawn over what stands before it.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The cells it takes; rather more than fewer, so that a terminal never breaks a line where we did not.
    fileprivate var width: Int { isMark ? 0 : value < 0x1100 ? 1 : 2 }
}

extension String {
    /// Itself, with a replacement character for each that is unsafe to show, a line feed among them, and with few marks on
    /// each letter: those that pile up are drawn over other lines.
    package var harmless: String {
        // Nothing in ASCII but control characters is unsafe, and that is what nearly all of it is.
        guard utf8.contains(where: { !(0x20..<0x7F).contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in replacingUnsafe({ _ in "\u{FFFD}" }).unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            // Letters of living languages have up to three. One that has none to stand on would stand on our own text.
            if marks == 1, result.last ?? " " == " " { result.append("\u{25CC}") }
            if marks <= 3 { result.append(scalar) }
        }
        return String(result)
    }

    /// Itself on one line, for people: harmless, with single spaces, and its middle left out where it is longer than `limit`
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

    /// How many cells of a terminal it takes, at most.
    package var cells: Int { unicodeScalars.reduce(0) { $0 + $1.width } }

    /// Itself in quotation marks, of which there are no others in it.
    package func quoted(limit: Int = 512) -> String {
        let inner = shown(limit: limit).map { "“”„‟«»\"".contains($0) ? "'" : $0 }
        return "“\(String(inner))”"
    }

    /// Itself in lines of at most `width` cells, of which all but the first begin with `indentation`: what a client says
    /// cannot begin a line of ours.
    package func wrapped(width: Int?, indentation: String = "      ") -> [String] {
        guard let width else { return [self] }
        var lines: [String] = []
        var line = ""
        var cells = 0
        for character in self {
            let size = String(character).cells
            // The last cell stays free: what fills a line makes some terminals begin another.
            if cells + size >= width, cells > indentation.count {
                let space = line.dropFirst(indentation.count).lastIndex(of: " ")
                let rest = space.map { String(line[line.index(after: $0)...]) } ?? ""
                lines.append(space.map { String(line[..<$0]) } ?? line)
                line = indentation + rest
                cells = line.cells
            }
            line.append(character)
            cells += size
        }
        return lines + [line]
    }
}
