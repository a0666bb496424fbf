/// The release of the service, its command-line programs and its libraries.
public let serviceVersion = "0.1.0"
