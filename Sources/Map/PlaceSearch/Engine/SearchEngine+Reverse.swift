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
        var address = PlaceAddress()
        for index in indexes where address.thoroughfare == nil {
            try addStreet(to: &address, at: coordinate, from: index)
        }
        return address.thoroughfare
    }

    /// Adds the street: the one at the position, or else the one of the nearest house.
    private func addStreet(
        to address: inout PlaceAddress, at coordinate: Coordinate, from index: PlaceIndex
    ) throws(PlaceIndexError) {
        let streets = try index.streets(near: coordinate, radius: 150)
        let houses = try index.houses(near: coordinate, radius: 80)
        var street = streets.first
        if let house = houses.first, house.distance < min(25, (street?.distance ?? .infinity)) {
            street = (house.house.street, house.distance)
        } else if street == nil, let house = houses.first {
            street = (house.house.street, house.distance)
        }
        guard let street, let candidate = try index.candidate(id: street.street) else { return }
        address = try index.context(candidate.context)
        address.thoroughfare = candidate.name
        if let house = houses.first(where: { $0.house.street == candidate.id }) {
            address.subThoroughfare = house.house.number
            address.postalCode = house.house.postcode ?? address.postalCode
        }
    }

    private func suburb(at coordinate: Coordinate, in index: PlaceIndex) throws(PlaceIndexError) -> String? {
        try index.nearest(Spot.suburb, to: coordinate, count: 6, radius: 1500)
            .first { $0.candidate.importance >= 200 }?.candidate.name
    }
}
