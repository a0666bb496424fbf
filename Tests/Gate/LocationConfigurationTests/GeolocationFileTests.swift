import Glibc
import LocationModel
import SeededRandom
import TestSupport
import Testing

@testable import LocationConfiguration

/// GeoClue's file with the position of a machine that does not move.
@Suite(.timeLimit(.minutes(10))) struct GeolocationFileTests {
    private func read(_ text: String) -> String {
        do throws(ConfigurationProblem) {
            let location = try GeolocationFile.location(Array(text.utf8), file: "F")
            let coordinate = location.coordinate
            return
                "\(coordinate.latitude) \(coordinate.longitude) \(location.altitude ?? .nan) \(location.horizontalAccuracy)"
        } catch {
            return error.description
        }
    }

    @Test(
        "four numbers on lines of their own are read, and anything else is refused with its line",
        arguments: [
            ("40.6893129\n-74.0445531\n96\n1.83\n", "40.6893129 -74.0445531 96.0 1.83"),
            (
                "# Statue of Liberty\n\n  40.6893129   # latitude\n\t-74.0445531\r\n+96 # m\n1.83",
                "40.6893129 -74.0445531 96.0 1.83"
            ),
            ("1e1\n.5\n-0\n5.\n", "10.0 0.5 -0.0 5.0"),
            (
                "\n",
                "F:1: The latitude is missing. The file has four lines: latitude, longitude, altitude and accuracy."
            ),
            (
                "1\n2\n3\n\n",
                "F:3: The accuracy is missing. The file has four lines: latitude, longitude, altitude and accuracy."
            ),
            ("91\n2\n3\n4", "F:1: The latitude must be from -90 to 90, not \"91\"."),
            ("9\n-181\n3\n4", "F:2: The longitude must be from -180 to 180, not \"-181\"."),
            ("9\n1\n3\n-4", "F:4: The accuracy must be from 0.01 to 1000000, not \"-4\"."),
            ("9\n1\n3\n0", "F:4: The accuracy must be from 0.01 to 1000000, not \"0\"."),
            ("9 1\n3\n4", "F:1: This must be the latitude, one number, not \"9 1\"."),
            ("9,5\n1\n3\n4", "F:1: This must be the latitude, one number, not \"9,5\"."),
            ("nan\n1\n3\n4", "F:1: This must be the latitude, one number, not \"nan\"."),
            ("1\ninf\n3\n4", "F:2: This must be the longitude, one number, not \"inf\"."),
            ("0x1p3\n1\n3\n4", "F:1: This must be the latitude, one number, not \"0x1p3\"."),
            ("1e999\n1\n3\n4", "F:1: The latitude must be from -90 to 90, not \"1e999\"."),
            ("1\n2\n3\n4\n5\n", "F:5: There are more than four numbers: \"5\"."),
            ("1\u{0}\n2\n3\n4", "F:1: This must be the latitude, one number, not \"1\\u{0}\"."),
        ])
    func fileIsReadOrRefused(text: String, expected: String) { #expect(read(text) == expected) }

    @Test("random bytes and changed files are read within the ranges or refused, without another effect")
    func randomBytesAreRefused() {
        let valid = Array("52.5200 # Berlin\n13.4050\n34\n50\n".utf8)
        for seed in 0..<5000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var bytes = valid
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = .random(in: .min ... .max, using: &random)
                case 1: bytes.insert(UInt8(ascii: "\n"), at: index)
                default: bytes.removeSubrange(index..<min(bytes.count, index + 2))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do throws(ConfigurationProblem) {
                let location = try GeolocationFile.location(bytes, file: "F")
                #expect(FixedLocation.accuracies.contains(location.horizontalAccuracy), "seed \(seed)")
                #expect(FixedLocation.altitudes.contains(location.altitude ?? .nan), "seed \(seed)")
            } catch {
                #expect(error.line != nil, "seed \(seed)")
            }
        }
    }

    @Test("a file that others may write, or in a directory that they may write, is not trusted")
    func writableFileIsNotTrusted() throws {
        let directory = try TemporaryDirectory()
        let text = "52.52\n13.405\n34\n50\n"
        let file = try directory.write("geolocation", text)
        #expect(try GeolocationFile.read(file)?.coordinate.latitude == 52.52)
        chmod(file, 0o666)
        #expect(throws: GeolocationFile.Refusal.untrusted(try #require(problem(file)))) {
            try GeolocationFile.read(file)
        }
        chmod(file, 0o644)
        chmod(directory.path, 0o777)
        #expect(problem(file)?.message.contains("chmod go-w \(directory.path)") == true)
        // A link in a protected directory does not help.
        let protected = try TemporaryDirectory()
        let link = "\(protected.path)/geolocation"
        #expect(symlink(file, link) == 0)
        #expect(problem(link)?.message.contains("chmod go-w \(directory.path)") == true)
        chmod(directory.path, 0o700)
        #expect(problem(link) == nil)
    }

    private func problem(_ file: String) -> ConfigurationProblem? {
        do throws(GeolocationFile.Refusal) {
            _ = try GeolocationFile.read(file)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test("without a file, and with an empty one, there is no position")
    func absentFileHasNoPosition() throws {
        let directory = try TemporaryDirectory()
        #expect(try GeolocationFile.read("\(directory.path)/geolocation") == nil)
        #expect(try GeolocationFile.read(try directory.write("geolocation", "")) == nil)
    }
}
