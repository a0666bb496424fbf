import BenchmarkLoad
import Measuring

extension Run {
    /// The growth in bytes per connection that counts as a leak: the smallest block of the allocator is 32.
    private static let mostLeft = 24.0

    /// Prints the result, and returns true if everything is in order.
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
            // The variation that does not depend on the number of connections: tables keep the capacity of their peak,
            // and the allocator's per-thread reserves count as in use. Memory that could not be returned counts as
            // held. Memory shared with other processes, which come and go, is excluded.
            for (what, figure, variation) in [
                ("what is in use of the heap", \Curve.Sample.inUse, 98_304.0),
                ("what is held", \.anonymous, 1_048_576.0),
            ] {
                let (slope, made) = growth(of: figure)
                let most = Self.mostLeft + variation / Double(max(1, made))
                check(
                    "\(what) does not grow", slope <= most,
                    "by \(Decimal.text(slope, digits: 1)) bytes for each of \(made) connections, where "
                        + "\(Decimal.text(most, digits: 1)) are too many")
                let all = held.map { Decimal.text(Double($0[keyPath: figure]) / 1_048_576, digits: 2) }
                let peak = curve.samples.map { $0[keyPath: figure] }.max() ?? 0
                print(
                    "     MiB after each wave: " + all.joined(separator: " ") + "; at most "
                        + Decimal.text(Double(peak) / 1_048_576, digits: 2))
            }
        }
        // It logs errors only.
        let errors = try TextFile.read(place.log).split(separator: "\n").filter { !$0.contains("Refused: ") }
        check(
            "the daemon logs no errors", errors.isEmpty,
            errors.isEmpty ? "no errors in its log" : errors.prefix(5).joined(separator: "\n     "))
        return isWell
    }

    /// The growth per connection, and the number of connections it is calculated from. The first waves, which fill
    /// caches, do not count.
    private func growth(of figure: KeyPath<Curve.Sample, Int>) -> (slope: Double, made: Int) {
        let counted = ebbs.dropFirst(ebbs.count / 3)
        let trend = Trend(counted.map { (Double($0.made), Double($0.sample[keyPath: figure])) })
        return (trend.slope, (counted.last?.made ?? 0) - (counted.first?.made ?? 0))
    }
}
