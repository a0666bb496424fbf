/// Members of JSON objects.
enum MessageText {
    /// An object with these members, whose values are JSON.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    /// A string. The texts are printable ASCII.
    static func string(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    /// A number with as many decimals as `scale` has zeros, and no more than it needs. One that is too large for that is written as it
    /// is.
    static func number(_ value: Double, _ scale: Double) -> String {
        guard abs(value * scale) < 1e15 else { return value.isFinite ? "\(value)" : "0" }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? "\(Int64(rounded))" : plain(rounded, scale)
    }

    /// Without an exponent, which `description` has for small numbers.
    private static func plain(_ value: Double, _ scale: Double) -> String {
        let text = "\(value)"
        guard text.contains("e") else { return text }
        let units = Int64((abs(value) * scale).rounded())
        let digits = String(Int64(scale) + units % Int64(scale)).dropFirst()
        return "\(value < 0 ? "-" : "")\(units / Int64(scale)).\(digits)"
    }
}
