import CommandLineSupport
import ArgumentParser
import FoundationEssentials
import Glibc
import LocationClient
import LocationConfiguration
import LocationInterface
import LocationModel
import POSIXSupport

extension Clients {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declare a program, so that it can ask for your location.",
            discussion: """
                Writes a property list and has the service read it. The texts are shown to the user when the program \
                asks; say what it does with the location.
                """)

        @OptionGroup var service: ServiceOptions

        @Option(help: ArgumentHelp("The absolute path of the program.", valueName: "path"), completion: .file())
        var executable: String

        @Option(help: ArgumentHelp("Its reason for using the location while in use.", valueName: "text"))
        var whenInUse: String

        @Option(help: ArgumentHelp("Its reason for using the location at any time, if it does.", valueName: "text"))
        var always: String?

        @Option(help: ArgumentHelp("Its identifier (default: local.NAME).", valueName: "identifier"))
        var identifier: String?

        @Option(help: ArgumentHelp("Its name in prompts (default: its file name).", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp("The directory for the property list.", valueName: "directory"), completion: .directory)
        var directory = "/etc/locationd/clients.d"

        @OptionGroup var output: OutputOptions

        /// The result of the command.
        private struct Result: Encodable {
            var client: String
            var executable: String
            var file: String
            /// True if the service has read the file.
            var isInForce: Bool
        }

        func run() async throws {
            try await reportingErrors {
                // The service compares with the path that the kernel reports, which has no symbolic links.
                guard let resolved = realpath(executable, nil) else {
                    throw LocationError.refused(message: "\(executable): \(String(cString: strerror(errno)))")
                }
                defer { free(resolved) }
                let path = String(cString: resolved)
                try ExecutableCheck.verify(path)
                try await refuseSecondDeclaration(of: path)
                let fileName = String(path.split(separator: "/").last ?? "program")
                let identifier = identifier ?? "local.\(fileName)"
                let declaration = Declaration(
                    identifier: identifier, displayName: name ?? fileName, whenInUse: whenInUse, always: always,
                    match: .init(executable: path))
                let file = "\(directory)/\(identifier).plist"
                try write(declaration, to: file)
                let isInForce = await reload(file)
                try output.say(Result(client: identifier, executable: path, file: file, isInForce: isInForce)) {
                    ["Declared \(path.shown(limit: 4096)) as \(identifier) in \(file.shown(limit: 4096))."]
                }
            }
        }

        /// Refuses to declare a program twice, because then neither declaration would count.
        private func refuseSecondDeclaration(of path: String) async throws(LocationError) {
            // The directories of the service, if it answers, and the directory of the new file.
            let files =
                (try? await LocationServiceManager(socketPath: service.socket).clients().compactMap(\.file)) ?? []
            let others = files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
            let directories = Set(others).subtracting([directory]).sorted() + [directory]
            if let other = Configuration.declaration(ofExecutable: path, in: directories) {
                throw LocationError.refused(
                    message:
                        "\(path) is already declared, as \(other.identifier) in \(other.file). Edit or remove that "
                        + "file.")
            }
        }

        /// Creates the directory for declarations, unless it exists.
        private func makeDirectory() throws {
            guard access(directory, F_OK) != 0, errno == ENOENT else { return }
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            } catch {
                throw LocationError.refused(
                    message: "\(directory) does not exist and cannot be created. \(Self.advice(of: directory))")
            }
        }

        private static func advice(of directory: String) -> String {
            geteuid() == 0 || !directory.hasPrefix("/etc/")
                ? "--directory names another one." : "As root: sudo locationctl clients add …"
        }

        /// Writes the file so that the service never reads half of it, or an invalid one.
        private func write(_ declaration: Declaration, to file: String) throws {
            guard access(file, F_OK) != 0 else {
                throw LocationError.refused(message: "\(file) exists. Edit it, or choose another --identifier.")
            }
            try makeDirectory()
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            do {
                try AtomicFile.write(try encoder.encode(declaration), to: file) { draft in
                    let problems = Configuration.check(file: draft).problems
                    guard problems.isEmpty else {
                        let reason = problems.map(\.message).joined(separator: "; ")
                        throw LocationError.refused(message: "\(file) was not written: \(reason)")
                    }
                }
            } catch let error as Errno {
                throw LocationError.refused(
                    message: "\(file) cannot be written: \(error). \(Self.advice(of: directory))")
            }
        }

        /// Makes the service reload, and reports whether it did.
        private func reload(_ file: String) async -> Bool {
            do {
                let problems = try await LocationServiceManager(socketPath: service.socket).reload()
                Terminal.complain(problems.map { "Refused: \($0.sentence)" })
                return !problems.contains { $0.file == file }
            } catch {
                Terminal.complain(
                    "The service has not read it yet (\(error)). As root: locationctl config reload")
                return false
            }
        }
    }
}

/// The text of a client's declaration.
private struct Declaration: Encodable {
    struct Match: Encodable {
        var executable: String

        enum CodingKeys: String, CodingKey {
            case executable = "Executable"
        }
    }

    var identifier: String
    var displayName: String
    var whenInUse: String
    var always: String?
    var match: Match

    enum CodingKeys: String, CodingKey {
        case identifier = "CFBundleIdentifier"
        case displayName = "CFBundleDisplayName"
        case whenInUse = "NSLocationWhenInUseUsageDescription"
        case always = "NSLocationAlwaysAndWhenInUseUsageDescription"
        case match = "Match"
    }
}
