/// The information about a program in `org.varlink.service.GetInfo`, without the names of its interfaces.
public struct ServiceInformation: Sendable, Equatable {
    /// The vendor.
    public let vendor: String
    /// The product's name.
    public let product: String
    /// The version.
    public let version: String
    /// The website.
    public let url: String

    /// Information that is shown to any peer that asks.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
