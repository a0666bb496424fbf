extension String {
    /// The text with values in the place of its placeholders, such as `{name}`.
    ///
    /// All are filled in at once, so that a value which looks like a placeholder, such as the name of a file, stays as it is. A
    /// placeholder without a value stays, too.
    package func filled(with values: [String: String]) -> String {
        let parts = split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { result, part in
            guard let end = part.firstIndex(of: "}"), let value = values[String(part[..<end])] else {
                result += "{\(part)"
                return
            }
            result += value + part[part.index(after: end)...]
        }
    }
}
