import ArgumentParser
import CommandLineSupport
import LocationServiceManagement

extension Clients {
    struct Quiet: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Choose whether a program that has your location lights the indicator.",
            discussion: """
                For programs that you trust and that have it all the time, such as the clock’s night light. A quiet program is \
                listed like any other, and history names it. Only you can put a program on your quiet list; root can for a \
                user of the system.
                """)

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions

        @Argument(
            help: ArgumentHelp(
                "The client's identifier in the output of clients, or the path of a program.", valueName: "client"),
            completion: .clients)
        var client: String

        @Argument(help: "on to light no indicator, off to light it")
        var state: State

        enum State: String, ExpressibleByArgument, CaseIterable {
            case on, off
        }

        /// The result of the command.
        private struct Result: Encodable {
            var client: String
            var isQuiet: Bool
        }

        func run() async throws {
            let isQuiet = state == .on
            try await LocationServiceManager(socketPath: service.socket).setQuiet(
                isQuiet, client, user: whose.user?.id)
            try output.say(Result(client: client, isQuiet: isQuiet)) {
                [
                    isQuiet
                        ? "\(client.shown()) lights no indicator."
                        : "\(client.shown()) lights the indicator while it has your location."
                ]
            }
        }
    }
}
