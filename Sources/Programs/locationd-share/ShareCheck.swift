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
        let directory = try options.owner.directory
        let destinations = try directory.destinations()
        let destination = destinations[try destinations.index(of: options.name, options.owner)]
        if let endpoint = destination.endpoint {
            let readers = try BridgeWords.readers(of: endpoint)
            // While it sends, the port may be its own.
            if try !directory.isSending { try endpoint.check() }
            return Terminal.say("\(destination.name): \(readers)")
        }
        switch try outcome(of: destination, in: directory) {
        case .answered(.stored) where destination.service == .mqtt:
            Terminal.say(
                "\(destination.name): \(destination.origin) accepts this machine, lets it publish to "
                    + BrokerMessage.topic(of: destination)
                    + (destination.discoveryPrefix == nil ? "" : " and what Home Assistant discovers")
                    + ", takes positions of any length and keeps the newest."
                    + (destination.isPlain ? " The position is not encrypted on the way there." : ""))
        case .answered(.stored):
            Terminal.say(
                "\(destination.name): \(destination.service.name) at \(destination.origin) "
                    + (destination.service.key == .none ? "knows the URL." : "accepts the URL and the key.")
                    + (destination.isPlain
                        ? " The position is not encrypted on the way there." : ""))
        case nil:
            throw ShareRefusal(
                "\(destination.service.name) has no test that stores nothing. Start a share. To see its state, run: "
                    + options.owner.command("status"))
        case let outcome?: throw ShareRefusal(outcome.problem?.0 ?? "The test was cancelled.")
        }
    }

    private func outcome(of destination: Destination, in directory: ShareDirectory) throws -> ShareMachine.Outcome? {
        let text = try directory.url(of: destination.name)
        let (test, cancellation) = (ShareMessage.test(at: .now()), HTTPTransfer.Cancellation())
        guard destination.service == .mqtt else {
            return try ShareLink(destination, text).send(test, cancellation)
        }
        let session = try BrokerSession(destination, text, isCheck: true)
        defer { session.close() }
        return session.send(test, MessageTerms(isNewest: false), cancellation)
    }
}
