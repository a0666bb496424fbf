import ArgumentParser
import CommandLineSupport
import LocationConfiguration
import LocationDiagnosis
import LocationInterface
import LocationTracks

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
        do {
            try await run(TypedNumber.protected(words.words))
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the command of a command line. An error is printed as sentences and ends the program with its code.
    private static func run(_ words: [String]) async throws {
        do {
            try await reportingErrors { try await perform(words) }
        } catch let error as InvalidConfiguration {
            Terminal.complain(["Nothing was changed."] + error.problems.map { $0.description.shown(limit: 4096) })
            throw Exit.configuration
        } catch let error as TrackError {
            Terminal.complain(error.description)
            throw Exit.noTrack
        } catch let error as SettingChange.Failure {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        } catch let error as PortFix.Failure {
            Terminal.complain("Not all steps were done. \(error)".shown(limit: 4096))
            throw Exit.failure
        }
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
