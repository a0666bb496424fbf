package import ArgumentParser

/// The options with the credentials for a broker whose vehicles are read.
package struct BrokerAccess: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the user and the password from the first line of this file, as USER:PASSWORD; - for standard input.",
            valueName: "file"),
        completion: .file())
    package var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities whose certificates this file has, instead of the system's.", valueName: "file"),
        completion: .file())
    package var ca: String?

    @Option(
        help: ArgumentHelp("Show the certificate in this file to the broker.", valueName: "file"), completion: .file())
    package var certificate: String?

    @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"), completion: .file())
    package var certificateKey: String?

    @Flag(help: "Accept mqtt://, without encryption, to an address in a private network.")
    package var plainHttp = false

    package init() {}

    package func validate() throws {
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("Give both --certificate and --certificate-key.")
        }
    }

    /// These options for another program of this project.
    package var arguments: [String] {
        let files = [
            ("password-file", passwordFile), ("ca", ca), ("certificate", certificate),
            ("certificate-key", certificateKey),
        ]
        return files.flatMap { name, file in file.map { ["--\(name)=\($0)"] } ?? [] }
            + (plainHttp ? ["--plain-http"] : [])
    }
}
