import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationConfiguration
import LocationInterface
import LocationServiceManagement
import POSIXSupport

extension Clients {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the declaration of a program.",
            discussion: """
                Deletes the property list that clients add or an administrator has written, and makes the service read that. The \
                program can then no longer ask by the service's socket. Decisions about it are kept.
                """)

        @OptionGroup var service: ServiceOptions

        @Option(
            help: ArgumentHelp("The directory of the property list.", valueName: "directory"), completion: .directory)
        var directory = "/etc/locationd/clients.d"

        @OptionGroup var output: OutputOptions

        @Argument(
            help: ArgumentHelp("The client's identifier in the output of clients.", valueName: "client"),
            completion: .clients)
        var client: String

        /// The result of the command.
        private struct Result: Encodable {
            var client: String
            var file: String
            /// True if the service has noticed.
            var isInForce: Bool
        }

        func run() async throws {
            let files = Configuration.files(declaring: client, in: directory)
            guard let file = files.first else { throw await refusal() }
            guard unlink(file) == 0 else {
                let remedy =
                    geteuid() == 0 ? "" : " To fix it, run: sudo locationctl clients remove \(client.shown())"
                throw LocationError.refused(message: "\(file.shown()) cannot be removed: \(Errno()).\(remedy)")
            }
            let isInForce = await DeclarationReload.perform(file, socket: service.socket)
            try output.say(Result(client: client, file: file, isInForce: isInForce)) {
                ["Removed \(client.shown()), which was declared in \(file.shown(limit: 4096))."]
            }
        }

        /// The reason why there is nothing to remove here.
        private func refusal() async -> LocationError {
            let known = (try? await LocationServiceManager(socketPath: service.socket).clients()) ?? []
            let place = directory.shown(limit: 4096)
            guard let file = known.first(where: { $0.client == client })?.file,
                let name = file.split(separator: "/").last
            else {
                return .refused(
                    message:
                        "No client \(client.shown()) is declared in \(place). To list those that are, run: locationctl clients"
                )
            }
            guard file.hasPrefix(DaemonConfiguration.packagedClients + "/") else {
                return .refused(
                    message:
                        "\(client.shown()) is declared in \(file.shown(limit: 4096)). To remove that, add --directory with its "
                        + "directory.")
            }
            return .refused(
                message:
                    "\(client.shown()) is declared in \(file.shown(limit: 4096)), which a package has brought. To have it ignored, "
                    + "run: sudo ln -s /dev/null \(place)/\(name)")
        }
    }
}

/// Has the service read its declarations again after one was written or removed.
enum DeclarationReload {
    /// Returns true if it did, and did not refuse `file`.
    static func perform(_ file: String, socket: String?) async -> Bool {
        do throws(LocationError) {
            let problems = try await LocationServiceManager(socketPath: socket).reload()
            Terminal.complain(problems.map { "Refused: \($0.sentence)" })
            return !problems.contains { $0.file == file }
        } catch .serviceUnavailable {
            Terminal.complain("The service is not running. It reads its declarations when it starts.")
            return false
        } catch {
            Terminal.complain(
                "The service has not read its declarations: \(error) To make it read them, run: sudo locationctl config reload"
            )
            return false
        }
    }
}
