/// Writes the declarations of the names of other frameworks that programmers type first. Each is unavailable, and the compiler's
/// message says the name here.
///
/// A line of the table is a declaration, then ` = ` and the name here, or ` | ` and the message. A line that begins with one of these
/// marks continues the line before it, and `#` begins a comment. Indented lines are members of the declaration above them. Those of a
/// type need no message: they are the calls that the type's message answers, because the compiler tells of a wrong call before it
/// tells of the type.
enum OldNames {
    /// Returns a source file.
    static func swift(for table: String) throws(GenerationError) -> String {
        var source = SwiftSource()
        var isInType = false
        for entry in entries(of: table) {
            let depth = entry.prefix { $0 == " " }.count / 4
            while source.depth > depth { source.close() }
            let (declaration, attribute, comment) = parts(of: entry.drop { $0 == " " })
            let kind = kind(of: declaration)
            if depth == 0 { isInType = false }
            guard attribute != nil || isInType || ["import", "extension"].contains(kind) else {
                throw GenerationError(description: "\(declaration): has neither a name here nor a message")
            }
            if kind != "import", kind != "extension" { source.documentation(comment) }
            if let attribute { source.line(attribute) }
            switch kind {
            case "extension": source.open(declaration)
            case "struct", "class", "protocol":
                source.open("public \(declaration)")
                isInType = true
            case "import", "typealias", "enum": source.line("public \(declaration)")
            default: source.line("public \(withBody(declaration))")
            }
        }
        while source.depth > 0 { source.close() }
        return source.text
    }

    /// The declarations with what follows them, each on one line.
    private static func entries(of table: String) -> [String] {
        table.split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(into: []) { entries, line in
            let content = line.drop { $0 == " " }
            if let last = entries.indices.last, content.hasPrefix("= ") || content.hasPrefix("| ") {
                entries[last] += " \(content)"
            } else {
                entries.append(String(line))
            }
        }
    }

    /// The declaration with its attribute, if it has a name or a message, and its comment.
    private static func parts(of entry: Substring) -> (declaration: String, attribute: String?, comment: String) {
        if let mark = entry.firstRange(of: " | ") {
            let message = entry[mark.upperBound...]
            return (
                String(entry[..<mark.lowerBound]), "@available(*, unavailable, message: \"\(message)\")", "\(message)."
            )
        }
        if let mark = entry.firstRange(of: " = ") {
            let name = entry[mark.upperBound...]
            // The declaration of another name of a type has the name, too.
            let declaration = kind(of: String(entry)) == "typealias" ? entry : entry[..<mark.lowerBound]
            return (String(declaration), "@available(*, unavailable, renamed: \"\(name)\")", "`\(name)` here.")
        }
        return (String(entry), nil, "A part of the call that the message answers.")
    }

    private static func kind(of declaration: String) -> Substring {
        let words = declaration.split { !$0.isLetter }
        return words.first { !["static", "convenience"].contains($0) } ?? ""
    }

    /// A function, an initializer or a property, with a body that nothing calls.
    private static func withBody(_ declaration: String) -> String {
        guard declaration.hasSuffix("}") else { return "\(declaration) { fatalError() }" }
        return declaration.replacing("{ get", with: "{ get { fatalError() }").replacing("set }", with: "set {} }")
    }
}
