import BenchmarkLoad
import Measuring

extension Run {
    /// So many bytes that a connection leaves in use are a leak: the least block of the allocator is 32.
    private static let mostLeft = 24.0
    /// By so many bytes what is in use varies from wave to wave, however many there are: what threads have at hand counts.
    private static let variation = 16_384.0

    /// Prints what came of it, and says whether all is well.
    func report() throws -> Bool {
        books.lines.forEach { print($0) }
        print("gpsd       restarted \(receiver.restarts) times\n")
        var isWell = true
        func check(_ what: String, _ isSo: Bool, _ figures: String) {
            print((isSo ? "yes  " : "NO   ") + what + ": " + figures)
            isWell = isWell && isSo
        }
        check(
            "the books balance", books.faults.isEmpty,
            books.faults.isEmpty
                ? "to the last location in \(books.orderlyWaves) waves, but for those who left unread in the others"
                : books.faults.joined(separator: "; "))
        check("nothing passed after a decision against it", books.leaks == 0, "\(books.leaks) locations")
        check("what is broken is refused, and nothing else", books.wrongReloads == 0, "\(books.wrongReloads) reloads")
        let held = ebbs.map(\.sample)
        if let first = held.first, let last = held.last {
            check(
                "descriptors are back", held.allSatisfy { $0.descriptors == first.descriptors },
                "\(first.descriptors) after the first wave, \(last.descriptors) after the last of \(held.count)")
            // The first waves fill what is kept for the next ones.
            let counted = ebbs.dropFirst(ebbs.count / 3)
            let trend = Trend(counted.map { (Double($0.made), Double($0.sample.inUse)) })
            let made = (counted.last?.made ?? 0) - (counted.first?.made ?? 0)
            let most = Self.mostLeft + Self.variation / Double(max(1, made))
            check(
                "connections leave nothing in use", trend.slope <= most,
                "\(Decimal.text(trend.slope, digits: 1)) bytes for each of \(made), and \(Decimal.text(most, digits: 0)) "
                    + "would be too much; \(megabytes(last.inUse)) of the heap after the last wave")
            print("     KiB after each wave: " + held.map { "\($0.inUse / 1024)" }.joined(separator: " "))
            // What is shared with other processes, which come and go, is left out.
            let all = held.map(\.anonymous)
            let (early, late) = (all.prefix(all.count / 2).max() ?? 0, all.suffix(all.count / 2).min() ?? 0)
            check(
                "memory is given back", late <= early + 256 * 1024,
                "\(megabytes(first.anonymous)) of its own after the first wave, \(megabytes(last.anonymous)) after "
                    + "the last; \(megabytes(curve.samples.map(\.anonymous).max() ?? 0)) at most")
            print(
                "     MiB after each wave: "
                    + all.map { Decimal.text(Double($0) / 1_048_576, digits: 2) }.joined(separator: " "))
        }
        let errors = try TextFile.read(place.log).split(separator: "\n").filter { line in
            ["<0>", "<1>", "<2>", "<3>"].contains { line.hasPrefix($0) } && !line.contains("Refused: ")
        }
        check(
            "the daemon has nothing to complain of", errors.isEmpty,
            errors.isEmpty ? "no errors in its log" : errors.prefix(5).joined(separator: "\n     "))
        return isWell
    }

    private func megabytes(_ bytes: Int) -> String { Decimal.text(Double(bytes) / 1_048_576, digits: 2) + " MiB" }
}
