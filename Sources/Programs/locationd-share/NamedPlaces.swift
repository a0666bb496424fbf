import CommandLineSupport
import FoundationEssentials
import Glibc
import LocationInterface
import POSIXSupport

/// The places of whoever runs this program.
enum NamedPlaces {
    /// All of them, as `locationctl places` lists them: the service tells only the programs that decide for the user of places,
    /// and this program, which sends, is not one of them.
    static func all(_ socket: String?) throws -> [ManagerInterface.Place] {
        let arguments = ["places", "--format", "json"] + (socket.map { ["--socket", $0] } ?? [])
        let result: ProgramLaunch.Result
        do {
            result = try VehicleAccount.asRoot {
                try ProgramLaunch([program] + arguments, descriptors: [STDERR_FILENO: STDERR_FILENO])
                    .run(limit: 1 << 20, time: .seconds(30))
            }
        } catch {
            throw ShareRefusal("Your places cannot be read: \(program): \(error).")
        }
        // It has said why.
        guard result.code == 0 else { throw Exit.failure }
        do {
            return try JSONDecoder().decode([ManagerInterface.Place].self, from: Data(result.output.utf8))
        } catch {
            throw ShareRefusal("Your places cannot be read: \(program) has printed something else.")
        }
    }

    /// The path of `locationctl`: beside this program after a build, otherwise in the packages' directory for what users run.
    private static var program: String {
        let directory = OwnExecutable.directory
        let built = "\(directory)/locationctl"
        return access(built, X_OK) == 0 ? built : "\(directory)/../../bin/locationctl"
    }
}
