import BenchmarkLoad
import Glibc
import Measuring

/// `make soak`: everybody at once, for as long as is wanted, and then nobody.
///
/// The real daemon, beside this program, and a gpsd look-alike. Connections come and go in waves; in each they subscribe
/// with and without filters, follow, ask, watch, stop reading, go without a word, and send what is no call, while users
/// decide this and that, gpsd is restarted and the configuration read again, good and broken. After each wave all of them
/// are gone, and what the daemon holds then has to be what it held before, however many there have been. All that was
/// published is booked: what the daemon says it delivered has been received, or its receiver left without reading.
///
/// `MINUTES` (10) and `SEED` are in the environment; the seed that was used is printed. The one argument is the file that
/// the curve is drawn into.
@main
struct Soak {
    static func main() {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0 == "" ? nil : $0 }
        }
        guard let minutes = Double(variable("MINUTES") ?? "10"), minutes > 0,
            let seed = UInt64(variable("SEED") ?? "\(UInt64.random(in: 0..<1_000_000))")
        else {
            print("MINUTES is a number above 0 and SEED a whole one.")
            exit(64)
        }
        process_prepare(-1, 16_384, UInt32(minutes * 60) + 120)
        print("Soaking for \(Decimal.text(minutes, digits: 1)) minutes. SEED=\(seed) repeats what is done.")
        do {
            let place = try Place()
            defer { place.remove() }
            let run = try Run(place: place, seed: seed, seconds: minutes * 60)
            do {
                try run.soak()
            } catch {
                print("The soak ended early: \(process_is_interrupted() ? SoakError.interrupted : error)")
                print("The end of the daemon's log:")
                for line in try TextFile.read(place.log).split(separator: "\n").suffix(10) { print("    \(line)") }
                process_end(run.daemon)
                place.remove()
                exit(1)
            }
            process_end(run.daemon)
            print(run.curve.text())
            if let file = CommandLine.arguments.dropFirst().first {
                try run.curve.write(to: file)
                print("The curve is drawn in \(file).\n")
            }
            let isWell = try run.report()
            // exit(3) does not come back for what is deferred.
            place.remove()
            exit(isWell ? 0 : 1)
        } catch {
            print("The soak could not begin: \(error)")
            exit(1)
        }
    }
}
