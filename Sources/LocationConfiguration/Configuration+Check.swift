import LocationPolicy

extension Configuration {
    /// What a single file is and what is wrong in it.
    public struct FileCheck: Hashable, Sendable {
        /// What a file can be, which its content says and not its name.
        public enum Kind: Hashable, Sendable {
            /// The daemon's own file.
            case daemon
            /// The declaration of a client.
            case client
            /// Empty or a link to `/dev/null`: in a client directory it masks the file of its name in earlier ones.
            case mask
        }

        /// What it is; `nil` when it cannot be read that far.
        public let kind: Kind?
        /// What is wrong in it.
        public let problems: [ConfigurationProblem]
    }

    /// Checks one file by itself, as the daemon would. What only several files show, such as an identifier declared
    /// twice, is for `load`.
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
