import CommandLineSupport
import LocationClient
import LocationSharing
import SharingProgram

/// Runs a command. An error of the settings or of the service is printed as a sentence and ends the program with its code.
func reportingSharingErrors(_ body: () async throws -> Void) async throws {
    do {
        try await reportingErrors(body)
    } catch let error as ShareDirectoryError {
        Terminal.complain(error.description.shown(limit: 4096))
        // A full disk passes, and the unit tries again.
        if case .disk = error { throw Exit.failure }
        throw Exit.configuration
    } catch let error as ShareDenial {
        Terminal.complain(error.description.shown(limit: 4096))
        throw Exit.denied
    } catch let error as any SentenceError {
        Terminal.complain(error.description.shown(limit: 4096))
        throw Exit.failure
    }
}

/// An error whose description is a sentence for people.
protocol SentenceError: Error, CustomStringConvertible {}

extension InvalidDestination: SentenceError {}
extension InvalidServiceURL: SentenceError {}
extension InvalidEndpoint: SentenceError {}
extension BridgeProblem: SentenceError {}
extension ShareRunnerError: SentenceError {}
extension InvalidTerm: SentenceError {}
extension FleetFailure: SentenceError {}
extension PositionQueueError: SentenceError {}

/// A command that cannot be carried out.
struct ShareRefusal: SentenceError {
    let description: String

    init(_ description: String) { self.description = description }
}

extension [Destination] {
    /// The place of the destination with this name.
    func index(of name: String, _ owner: ShareOwner) throws -> Int {
        if let index = firstIndex(where: { $0.name == name }) { return index }
        throw ShareRefusal(
            "There is no destination \(name.shown(limit: 64)). "
                + (isEmpty
                    ? "To add one, run: \(owner.command("add NAME SERVICE"))"
                    : "There are: \(map(\.name).joined(separator: ", "))."))
    }
}
