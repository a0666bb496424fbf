import FleetModel
import Glibc

/// The areas with alarms, in a file of the user's own. Several programs may have it open: each change is made to the file as it is then.
struct FleetAreaStore {
    /// The file cannot be read or written.
    struct Failure: Error, Hashable {
        let sentence: PageSentence
    }

    private let file: UserFile<Failure>

    /// The areas at an absolute path. The file is made, with its directory, when the first area is saved.
    init(path: String) {
        file = UserFile(path: path, maximumSize: FleetAreaDocument.longest) { reason in
            Failure(
                sentence: PageSentence(
                    "The areas in {path} cannot be used: {reason}.", ["path": path, "reason": reason]))
        }
    }

    /// Reads the areas; none if there is no file.
    func read() throws(Failure) -> [FleetArea] { try document().areas }

    /// Makes a change, and returns the areas after it.
    func change(
        _ change: (inout FleetAreaDocument) throws(FleetAreaDocument.Flaw) -> Void
    ) throws(Failure) -> [FleetArea] {
        let lock = try file.lockDirectory()
        defer { close(lock) }
        var document = try document()
        do throws(FleetAreaDocument.Flaw) {
            try change(&document)
        } catch {
            throw file.failure(error.reason)
        }
        let bytes = document.bytes
        try file.write(bytes)
        return document.areas
    }

    private func document() throws(Failure) -> FleetAreaDocument {
        guard let bytes = try file.read() else { return FleetAreaDocument() }
        do throws(FleetAreaDocument.Flaw) {
            return try FleetAreaDocument(bytes)
        } catch {
            throw file.failure(error.reason)
        }
    }
}
