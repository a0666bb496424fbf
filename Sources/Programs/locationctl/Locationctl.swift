import ArgumentParser
import CommandLineSupport
import LocationInterface

@main
struct Locationctl: AsyncParsableCommand {
    static func main() async {
        DispatchLog.switchOff()
        Terminal.keepStandardDescriptors()
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()), in: Self.self)
        if let complaint = words.complaint {
            Terminal.complain(["Error: " + complaint, "  See 'locationctl --help' for all commands."])
            exit(withError: ExitCode.validationFailure)
        }
        await main(TypedNumber.protected(words.words))
    }

    static let configuration = CommandConfiguration(
        commandName: "locationctl",
        abstract: "Show your location, and decide which programs may use it.",
        discussion: """
            --socket, --format, --user, --units, --coordinates and --utc may also be given before the command, if it has them:
              locationctl --units imperial get

            Exit status:
              0   success
              1   another error
              64  the command line is invalid
              66  the file is not a readable track
              69  the location service cannot be reached
              75  there was no fix in time, or locationctl was replaced by an upgrade while it was running
              77  you or this program may not do this, or a prompt was not answered
              78  a configuration file has a problem, or doctor found one
              130 you pressed Ctrl-C
            """,
        version: serviceVersion,
        subcommands: [PromptsAlias.self, AnswerAlias.self, PlaceAlias.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Location:",
                subcommands: [
                    Get.self, Watch.self, Follow.self, Map.self, Search.self, Monitor.self, Share.self,
                    Fleet.self, TrackCommand.self,
                ]),
            CommandGroup(
                name: "Permissions:",
                subcommands: [
                    Allow.self, Deny.self, Reset.self, Accuracy.self, Clients.self, Off.self, On.self, History.self,
                    Explain.self, Rules.self, Places.self, Privacy.self,
                ]),
            CommandGroup(name: "Prompts:", subcommands: [Agent.self]),
            CommandGroup(name: "Sources:", subcommands: [Sources.self, GeoClueCommand.self, GPSDCommand.self]),
            CommandGroup(name: "Service:", subcommands: [Status.self, Config.self, Doctor.self, TimeZoneCommand.self]),
        ])
}
