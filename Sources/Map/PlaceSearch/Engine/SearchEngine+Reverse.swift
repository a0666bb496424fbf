import LocationModel

// Reverse geocoding.

extension SearchEngine {
    func address(at coordinate: Coordinate) throws(PlaceIndexError) -> PlaceAddress {
        var address = PlaceAddress()
        for index in indexes {
            if address.thoroughfare == nil { try addStreet(to: &address, at: coordinate, from: index) }
            let areas = AreaLookup.Answer(areas: try index.areas(at: coordinate))
            address.locality = address.locality ?? areas.locality
            address.subLocality = address.subLocality ?? areas.subLocality
            address.administrativeArea = address.administrativeArea ?? areas.region
            address.isoCountryCode = address.isoCountryCode ?? areas.country
            if address.subLocality == nil, let suburb = try suburb(at: coordinate, in: index) {
                address.subLocality = suburb
            }
        }
        if address.locality == nil {
            for index in indexes {
                // A region's settlements are more accurate for their surroundings than a gazetteer's.
                let near = try index.nearest(Spot.settlement, to: coordinate, count: 8, radius: 8000)
                let best = near.min {
                    $0.distance / reach(importance: $0.candidate.importance)
                        < $1.distance / reach(importance: $1.candidate.importance)
                }
                guard let best, best.distance < 2 * reach(importance: best.candidate.importance) else { continue }
                address.locality = best.candidate.name
                break
            }
        }
        address = try complete(address, at: coordinate, kind: address.locality == nil ? .settlement : .address)
        if address.subLocality == address.locality { address.subLocality = nil }
        return address
    }

    /// Returns the name of the street at a position, or of the one of the nearest house.
    func street(at coordinate: Coordinate) throws(PlaceIndexError) -> String? {
        for index in indexes {
            if let street = try street(at: coordinate, in: index, houses: 0) { return street.candidate.name }
        }
        return nil
    }

    /// Adds the street, and the number of its nearest house.
    private func addStreet(
        to address: inout PlaceAddress, at coordinate: Coordinate, from index: PlaceIndex
    ) throws(PlaceIndexError) {
        guard let street = try street(at: coordinate, in: index, houses: Self.houseReach) else { return }
        address = try index.context(street.candidate.context)
        address.thoroughfare = street.candidate.name
        if let house = street.houses.first(where: { $0.house.street == street.candidate.id }) {
            address.subThoroughfare = house.house.number
            address.postalCode = house.house.postcode ?? address.postalCode
        }
    }

    /// The distances within which the nearest street is looked for, one after the other, in metres: nearly all positions have one
    /// within the first.
    private static let streetReaches = [40.0, 150]
    /// The distance within which a house gives the address, in metres.
    private static let houseReach = 80.0
    /// The distance within which a house gives the street although another one is nearer than the house's, in metres.
    private static let doorReach = 25.0

    /// Returns the street at a position, or else the one of the nearest house, and the houses within a distance in metres.
    private func street(
        at coordinate: Coordinate, in index: PlaceIndex, houses reach: Double
    ) throws(PlaceIndexError) -> (
        candidate: PlaceIndex.Candidate, houses: [(house: PlaceIndex.House, distance: Double)]
    )? {
        var street: (street: Int64, distance: Double)?
        for radius in Self.streetReaches where street == nil {
            street = try index.streets(near: coordinate, radius: radius).first
        }
        let door = min(Self.doorReach, street?.distance ?? Self.houseReach)
        let houses = try index.houses(near: coordinate, radius: max(reach, street == nil ? Self.houseReach : door))
        if let house = houses.first, street == nil || house.distance < door {
            street = (house.house.street, house.distance)
        }
        guard let street, let candidate = try index.candidate(id: street.street) else { return nil }
        return (candidate, houses)
    }

    private func suburb(at coordinate: Coordinate, in index: PlaceIndex) throws(PlaceIndexError) -> String? {
        try index.nearest(Spot.suburb, to: coordinate, count: 6, radius: 1500)
            .first { $0.candidate.importance >= 200 }?.candidate.name
    }
}
