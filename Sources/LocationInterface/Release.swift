/// This release of the service and of what comes with it.
public let serviceVersion = "0.1.0"
