import CommandLineSupport
import MapTiles
import PlaceSearch

extension InstalledPlaces {
    /// Prints an error of the installed places, or of their search. Returns what to throw: the exit status for it, or any other
    /// error as it is.
    static func report(_ error: any Error) -> any Error {
        let description =
            switch error {
            case let error as Missing: error.description
            case let error as PlaceIndexError: error.description
            default: nil as String?
            }
        guard let description else { return error }
        Terminal.complain(description.shown(limit: 4096))
        return Exit.failure
    }
}
