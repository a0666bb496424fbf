import Glibc
import PlaceSearch

/// Makes a place index from the features on standard input, for the map's package: `place-index FILE SQUARE`.
@main
struct PlaceIndexTool {
    static func main() {
        guard CommandLine.arguments.count == 3, let side = Double(CommandLine.arguments[2]), side > 0 else {
            fail("usage: place-index FILE SQUARE < FEATURES, where SQUARE is the side of neighbourhoods in degrees")
        }
        do {
            let summary = try PlaceIndexWriter.write(
                linesOf: STDIN_FILENO, to: CommandLine.arguments[1], squareSide: side)
            guard summary.malformedLines == 0 else { fail("\(summary.malformedLines) lines are no features") }
        } catch {
            fail(error.description)
        }
    }

    private static func fail(_ reason: String) -> Never {
        let line = "place-index: \(reason)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(1)
    }
}
