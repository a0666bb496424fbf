import CommandLineSupport
import Glibc

/// The progress of a region on standard error: a bar on a terminal, otherwise a line for each step, or for each percent.
final class Progress {
    /// A step with its relative duration.
    struct Step: Hashable {
        let title: String
        let weight: Double
    }

    private let steps: [Step]
    private let isTerminal: Bool
    private let reportsParts: Bool
    private var current = -1
    private var shown = ""
    private let start = ContinuousClock.now

    /// Creates a progress over `steps`.
    ///
    /// - Parameter reportsParts: True for a line for each percent, which a program reads: `[3/4] 45 % Making the tiles`.
    init(_ steps: [Step], reportsParts: Bool = false, isTerminal: Bool = Terminal.width != nil) {
        self.steps = steps
        self.reportsParts = reportsParts
        self.isTerminal = isTerminal && !reportsParts
    }

    /// Begins the step called `title`.
    func begin(_ title: String) {
        guard let index = steps.firstIndex(where: { $0.title == title }) else { return }
        current = index
        if reportsParts {
            report(0)
        } else if isTerminal {
            show(0)
        } else {
            Terminal.complain("[\(index + 1)/\(steps.count)] \(title)")
        }
    }

    /// Sets the completed part of the step, 0 to 1.
    func update(_ part: Double) {
        guard current >= 0 else { return }
        if reportsParts { report(part) } else if isTerminal { show(part) }
    }

    /// Removes the bar.
    func finish() {
        if isTerminal { Self.clearLine() }
    }

    /// The time since the beginning.
    var elapsed: Duration { start.duration(to: .now) }

    /// Returns the completed part of all steps at `part` of the current one.
    func share(_ part: Double) -> Double {
        let whole = steps.reduce(0) { $0 + $1.weight }
        guard whole > 0, current >= 0 else { return 0 }
        let done = steps[..<current].reduce(0) { $0 + $1.weight }
        return (done + steps[current].weight * min(max(0, part), 1)) / whole
    }

    private func report(_ part: Double) {
        let line = "[\(current + 1)/\(steps.count)] \(Int(share(part) * 100)) % \(steps[current].title)"
        guard line != shown else { return }
        shown = line
        Terminal.complain(line)
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
        // Written directly, because `Terminal` removes control characters.
        Self.write("\r\u{1b}[K\(line.prefix(width - 1))")
    }

    /// Clears the line of a bar, if standard error is a terminal.
    static func clearLine() {
        if isatty(STDERR_FILENO) != 0 { write("\r\u{1b}[K") }
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)
        // A lost update is harmless: the next one follows soon.
        _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
    }
}
