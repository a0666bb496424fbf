/// What `org.varlink.service.GetInfo` says about a program, beside the names of its interfaces.
public struct ServiceInformation: Sendable, Equatable {
    /// Who makes it.
    public let vendor: String
    /// What it is called.
    public let product: String
    /// Its version.
    public let version: String
    /// Where to read about it.
    public let url: String

    /// All four are shown to any peer that asks.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
