import Glibc
import LocationModel
import LocationTracks

/// `TrackWriter FILE [BYTES]`: records points number 0, 1, … for ever, and writes a byte after each. BYTES limits the
/// size of the file; an error is written to standard error.
@main struct TrackWriter {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 || arguments.count == 3 else { exit(2) }
        if arguments.count == 3 {
            guard let bytes = rlim_t(arguments[2]) else { exit(2) }
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
        }
        do throws(TrackError) {
            let recorder = try TrackRecorder(creating: arguments[1])
            var number = 0
            while true {
                try recorder.append(.numbered(number))
                number += 1
                guard write(STDOUT_FILENO, ".", 1) == 1 else { exit(1) }
            }
        } catch {
            let sentence = Array("\(error)\n".utf8)
            _ = write(STDERR_FILENO, sentence, sentence.count)
            exit(1)
        }
    }
}

extension Location {
    /// A point one metre further north each second; every hundredth comes after a pause.
    static func numbered(_ number: Int) -> Location {
        let latitude = Double(number % 8_000_000) * 1e-5
        guard let coordinate = Coordinate(latitude: latitude, longitude: -11.575569) else { exit(2) }
        let seconds = Int64(number + number / 100 * 60)
        let time = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + seconds * 1_000_000_000)
        var location = Location(coordinate: coordinate, timestamp: time)
        location.altitude = 519.25 + Double(number % 10)
        location.horizontalAccuracy = 3.5
        location.speed = 1.1
        location.course = 0
        return location
    }
}
