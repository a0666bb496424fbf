import ArgumentParser

/// A number on the command line, which may have a minus sign.
struct TypedNumber: ExpressibleByArgument {
    /// The sign that stands for `-` before a number while the command line is parsed: words with `-` are options there.
    static let minus = "\u{2212}"

    let value: Double

    init?(argument: String) {
        guard let value = Double(argument.replacing(Self.minus, with: "-")), value.isFinite else { return nil }
        self.value = value
    }

    /// The words of a command line, in which numbers below zero do not look like options. No option begins with a digit. The
    /// arguments of other packages' programs stay as they are.
    static func protected(_ words: [String]) -> [String] {
        let programs: [any ParsableCommand.Type] = [Map.self, Share.self, Fleet.self, Privacy.self]
        guard !programs.contains(where: { $0._commandName == words.first }) else { return words }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end].map { word in
            guard word.first == "-", let next = word.dropFirst().first, next.isNumber || next == "." else {
                return word
            }
            return minus + word.dropFirst()
        } + words[end...]
    }
}
