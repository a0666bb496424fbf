import CommandLineSupport
import Glibc

/// How far a region is, on standard error: a bar where that is a terminal, otherwise a line for each step.
final class Progress {
    /// A part of the work and how long it takes, in any unit that all parts share.
    struct Step: Hashable {
        let title: String
        let weight: Double
    }

    private let steps: [Step]
    private let isTerminal: Bool
    private var current = -1
    private var shown = ""
    private let start = ContinuousClock.now

    /// Progress over these steps.
    init(_ steps: [Step], isTerminal: Bool = Terminal.width != nil) {
        self.steps = steps
        self.isTerminal = isTerminal
    }

    /// Goes on to the step called `title`.
    func begin(_ title: String) {
        guard let index = steps.firstIndex(where: { $0.title == title }) else { return }
        current = index
        if isTerminal { show(0) } else { Terminal.complain("[\(index + 1)/\(steps.count)] \(title)") }
    }

    /// Says how much of the step is done, 0 to 1.
    func update(_ part: Double) {
        if isTerminal, current >= 0 { show(part) }
    }

    /// Takes the bar away.
    func finish() {
        if isTerminal { Self.clearLine() }
    }

    /// How long it has taken so far.
    var elapsed: Duration { start.duration(to: .now) }

    /// How much of all is done when `part` of the current step is.
    func share(_ part: Double) -> Double {
        let whole = steps.reduce(0) { $0 + $1.weight }
        guard whole > 0, current >= 0 else { return 0 }
        let done = steps[..<current].reduce(0) { $0 + $1.weight }
        return (done + steps[current].weight * min(max(0, part), 1)) / whole
    }

    private func show(_ part: Double) {
        let share = share(part)
        let width = min(Terminal.width ?? 80, 100)
        let percent = "\(Int(share * 100))"
        let text = " \(String(repeating: " ", count: 3 - percent.count))\(percent) %  \(steps[current].title)"
        let room = max(8, min(40, width - text.count - 3))
        let filled = Int((share * Double(room)).rounded())
        let line = "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: room - filled))]\(text)"
        guard line != shown else { return }
        shown = line
        // A carriage return is no character that Terminal would show.
        Self.write("\r\u{1b}[K\(line.prefix(width - 1))")
    }

    /// Empties the line that a bar is on, if standard error is a terminal.
    static func clearLine() {
        if isatty(STDERR_FILENO) != 0 { write("\r\u{1b}[K") }
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)
        // A lost update does no harm: the next one comes soon.
        _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
    }
}
