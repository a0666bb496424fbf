import LocationModel
import PlaceSearch

/// An address as text (MapKit's `MKAddress`). Its parts are those of ``MapItem/placemark``.
public struct Address: Hashable, Sendable {
    /// The address on one line: "Städtle 5, 9490 Vaduz, Liechtenstein".
    public let fullAddress: String
    /// The street and number, or else the town or village; `nil` if the data have neither.
    public let shortAddress: String?

    /// An address in these words.
    public init(fullAddress: String, shortAddress: String? = nil) {
        (self.fullAddress, self.shortAddress) = (fullAddress, shortAddress)
    }
}

/// An address in the forms that programs show (MapKit's `MKAddressRepresentations`).
public struct AddressRepresentations: Hashable, Sendable {
    fileprivate let address: PlaceAddress

    /// The city, town or village; `nil` if the data lack it.
    public var cityName: String? { address.locality }
    /// The name of the country in English; `nil` if the data lack it.
    public var regionName: String? { address.country }
    /// The city with the state or, without one, the country: "Vaduz, Liechtenstein"; `nil` if the data lack the city.
    public var cityWithContext: String? {
        guard let city = address.locality else { return nil }
        guard let context = address.administrativeArea ?? address.country, context != city else { return city }
        return "\(city), \(context)"
    }

    /// Returns the address; `nil` if the data have none.
    ///
    /// - Parameters:
    ///   - includingRegion: True to include the country.
    ///   - singleLine: True for commas between the parts, false for a line for each.
    public func fullAddress(includingRegion: Bool, singleLine: Bool) -> String? {
        var address = address
        if !includingRegion { (address.country, address.isoCountryCode) = (nil, nil) }
        let line = address.line(separator: singleLine ? ", " : "\n")
        return line.isEmpty ? nil : line
    }
}

extension MapItem {
    /// The address as text; `nil` if the data have none.
    public var address: Address? {
        let line = placemark.address.line()
        guard !line.isEmpty else { return nil }
        return Address(fullAddress: line, shortAddress: placemark.address.streetLine ?? placemark.address.locality)
    }

    /// The address in the forms that programs show; `nil` if the data have none.
    public var addressRepresentations: AddressRepresentations? {
        address == nil ? nil : AddressRepresentations(address: placemark.address)
    }
}
