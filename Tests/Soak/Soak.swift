import BenchmarkLoad
import Glibc
import Measuring

/// `make soak`: a load of many clients with random behaviour, followed by none.
///
/// It runs the real daemon beside this program with a simulated gpsd. Connections come and go in waves: they subscribe
/// with and without filters, follow, request, watch, stop reading, leave without a word, and send invalid messages,
/// while users make decisions, gpsd is restarted and the configuration reloaded, valid and invalid. After each wave all
/// have left, and the daemon's resources must be the same as before, whatever their number. All deliveries are
/// accounted for: every location that the daemon counts as delivered has been received, or its receiver has left
/// without reading.
///
/// `MINUTES` (10) and `SEED` are environment variables; the used seed is printed. The argument is the file for the
/// picture.
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
            // exit(3) does not run deferred blocks.
            place.remove()
            exit(isWell ? 0 : 1)
        } catch {
            print("The soak could not begin: \(error)")
            exit(1)
        }
    }
}
