import ArgumentParser
import CommandLineSupport
import LocationClient
import LocationSharing
import SharingProgram

extension AsyncParsableCommand {
    /// Runs the command of a command line. An error of the settings or of the service is printed as a sentence and ends the program
    /// with its code.
    static func performReportingErrors(_ words: [String]) async {
        do {
            try await reportingErrors { try await perform(words) }
        } catch let error as any SentenceError {
            Terminal.complain(error.description.shown(limit: 4096))
            exit(withError: error.exitCode)
        } catch {
            exit(withError: error)
        }
    }
}

/// An error whose description is a sentence for people.
protocol SentenceError: Error, CustomStringConvertible {
    var exitCode: ExitCode { get }
}

extension SentenceError {
    var exitCode: ExitCode { Exit.failure }
}

extension ShareDirectoryError: SentenceError {
    // A full disk passes, and the unit tries again.
    var exitCode: ExitCode { if case .disk = self { Exit.failure } else { Exit.configuration } }
}

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
    let exitCode: ExitCode

    init(_ description: String, _ exitCode: ExitCode = Exit.failure) {
        (self.description, self.exitCode) = (description, exitCode)
    }
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
