import ArgumentParser
import CommandLineSupport
import HTTPTransfer
import LocationModel
import LocationSharing
import SharingProgram

struct ShareCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Test whether a service can be reached and knows its URL. No position is sent.")

    @OptionGroup var options: ShareNameOptions

    func run() async throws {
        try await reportingSharingErrors {
            let directory = try options.owner.directory
            let destinations = try directory.destinations()
            let destination = destinations[try destinations.index(of: options.name, options.owner)]
            if let endpoint = destination.endpoint {
                let readers = try BridgeWords.readers(of: endpoint)
                // While it sends, the port may be its own.
                if try !directory.isSending { try endpoint.check() }
                return Terminal.say("\(destination.name): \(readers)")
            }
            let link = try ShareLink(destination, try directory.url(of: destination.name))
            switch link.send(.test(at: .now()), HTTPTransfer.Cancellation()) {
            case .answered(.stored):
                Terminal.say(
                    "\(destination.name): \(destination.service.name) at \(destination.origin) "
                        + (destination.service.key == .none ? "knows the URL." : "accepts the URL and the key.")
                        + (destination.origin.hasPrefix("http:")
                            ? " The position is not encrypted on the way there." : ""))
            case .answered(.again(let problem, _)), .answered(.doubtful(let problem)), .answered(.unclear(let problem)),
                .answered(.refused(let problem)), .answered(.wrong(let problem)), .failed(let problem):
                throw ShareRefusal(problem)
            case nil:
                throw ShareRefusal(
                    "\(destination.service.name) has no test that stores nothing. Start a share. To see its state, run: "
                        + options.owner.command("status"))
            case .cancelled: throw ShareRefusal("The test was cancelled.")
            }
        }
    }
}
