/// Swift code, line by line.
struct SwiftSource {
    private(set) var text = ""
    private(set) var depth = 0

    mutating func line(_ line: String) {
        text += line.isEmpty ? "\n" : String(repeating: " ", count: 4 * depth) + line + "\n"
    }

    /// Lines as they are, without indentation.
    mutating func verbatim(_ lines: String) {
        text += lines
    }

    mutating func documentation(_ comment: String) {
        for part in comment.split(separator: "\n", omittingEmptySubsequences: false) {
            line(part.isEmpty ? "///" : "/// \(part)")
        }
    }

    mutating func open(_ declaration: String) {
        line(declaration + " {")
        depth += 1
    }

    mutating func close() {
        depth -= 1
        line("}")
    }
}
