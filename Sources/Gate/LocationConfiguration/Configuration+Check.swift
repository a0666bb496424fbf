import LocationPolicy

extension Configuration {
    /// The kind of a single file and its problems.
    public struct FileCheck: Hashable, Sendable {
        /// The kind of a file, determined by its content and not by its name.
        public enum Kind: Hashable, Sendable {
            /// The daemon's own file.
            case daemon
            /// The declaration of a client.
            case client
            /// Empty or a link to `/dev/null`: in a client directory it masks the file of its name in earlier ones.
            case mask
        }

        /// The kind; `nil` if it cannot be determined.
        public let kind: Kind?
        /// The problems.
        public let problems: [ConfigurationProblem]
    }

    /// Checks one file by itself, like the daemon. Problems that involve several files, such as a duplicate identifier,
    /// are found by `load`.
    public static func check(file: String) -> FileCheck {
        do throws(InvalidConfiguration) {
            guard let bytes = try ConfigurationFile.read(file) else {
                let problem = ConfigurationProblem(file: file, message: "This file does not exist.")
                return FileCheck(kind: nil, problems: [problem])
            }
            guard !bytes.isEmpty else { return FileCheck(kind: .mask, problems: []) }
            let document = try PropertyListDocument(bytes, file: file)
            let daemon = DaemonConfiguration.read(document)
            let client = ClientDeclaration.read(document)
            return if client.unknownKeyCount < daemon.unknownKeyCount {
                FileCheck(kind: .client, problems: client.problems)
            } else {
                FileCheck(kind: .daemon, problems: daemon.problems)
            }
        } catch {
            return FileCheck(kind: nil, problems: error.problems)
        }
    }
}
