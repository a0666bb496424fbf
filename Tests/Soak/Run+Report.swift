import BenchmarkLoad
import Measuring

extension Run {
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
        if let first = ebbs.first, let last = ebbs.last {
            let descriptors = ebbs.map(\.descriptors)
            check(
                "descriptors are back", descriptors.allSatisfy { $0 == first.descriptors },
                "\(first.descriptors) after the first wave, \(last.descriptors) after the last of \(ebbs.count)")
            // The first waves fill the allocator's pools: what matters is that no later one adds to them, beyond what it
            // varies by. What is shared with other processes, which come and go, is left out.
            let all = ebbs.map(\.anonymous)
            let (early, late) = (all.prefix(all.count / 2).max() ?? 0, all.suffix(all.count / 2).min() ?? 0)
            check(
                "memory is back", late <= early + 256 * 1024,
                "\(megabytes(first.anonymous)) of its own after the first wave, \(megabytes(last.anonymous)) after "
                    + "the last; \(megabytes(peak)) at most")
            print(
                "     after each: " + all.map { Decimal.text(Double($0) / 1_048_576, digits: 2) }.joined(separator: " ")
            )
        }
        let errors = try TextFile.read(place.log).split(separator: "\n").filter { line in
            ["<0>", "<1>", "<2>", "<3>"].contains { line.hasPrefix($0) } && !line.contains("Refused: ")
        }
        check(
            "the daemon has nothing to complain of", errors.isEmpty,
            errors.isEmpty ? "no errors in its log" : errors.prefix(5).joined(separator: "\n     "))
        return isWell
    }

    private var peak: Int { curve.samples.map(\.anonymous).max() ?? 0 }

    private func megabytes(_ bytes: Int) -> String { Decimal.text(Double(bytes) / 1_048_576, digits: 2) + " MiB" }
}
