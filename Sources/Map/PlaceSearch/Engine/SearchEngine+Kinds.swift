import LocationModel

// A kind or a street beside a name.

extension SearchEngine {
    /// The greatest number of words of a category: "bed and breakfast".
    private static let longestKind = 3
    /// The distance of a place from the street beside its name in a query, in metres.
    private static let besideStreet = 300.0

    /// Returns the places with a name beside a word for their category, in any order: "hotel Klinglhuber", "shell tankstelle".
    func ofKind(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard query.words.count >= 2, scope.kinds?.contains(.pointOfInterest) ?? true else { return [] }
        var found: [Found] = []
        for length in 1...min(Self.longestKind, query.words.count - 1) {
            for isFirst in [true, false] {
                let kind = isFirst ? query.words.prefix(length) : query.words.suffix(length)
                let categories = PlaceCategory.meant(by: kind.joined(separator: " "))
                guard !categories.isEmpty else { continue }
                let name = Array(isFirst ? query.words.dropFirst(length) : query.words.dropLast(length))
                let names = Set(categories.flatMap { $0.isCuisine ? Array(PlaceCategory.serving) : [$0.name] })
                let places = try named(
                    name, isPrefix: isFirst && query.isPrefix, scope.from(scope.center, for: [.pointOfInterest]))
                found += places.filter {
                    names.contains(indexes[$0.index].categories[$0.candidate.category ?? -1] ?? "")
                }
            }
        }
        // Two words for what is meant are stronger evidence than one.
        for index in found.indices { found[index].score += 1 }
        return found
    }

    /// Returns the places with a name beside that of their street: "Spar Hauptstraße", "Starbucks on Boston Street".
    func onStreet(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard (2...6).contains(query.words.count), query.numbers.isEmpty, !query.isTyping, scope.center != nil,
            scope.kinds?.contains(.pointOfInterest) ?? true
        else { return [] }
        for length in 1..<query.words.count {
            for isFirst in [true, false] {
                let name = Array(isFirst ? query.words.prefix(length) : query.words.suffix(length))
                let rest = isFirst ? query.words.dropFirst(length) : query.words.dropLast(length)
                let street = rest.drop { Self.beforeStreet.contains($0) }
                guard !street.isEmpty else { continue }
                let places = try named(name, isPrefix: false, scope.from(scope.center, for: [.pointOfInterest]))
                guard !places.isEmpty else { continue }
                let streets = try named(Array(street), isPrefix: false, scope.from(scope.center, for: [.street]))
                let near = ranked(streets.filter { $0.match == .exact }, near: scope.center, limit: 6)
                var found: [Found] = []
                for place in places where try isBeside(place, near) {
                    var item = place
                    item.score += 2
                    found.append(item)
                }
                if !found.isEmpty { return found }
            }
        }
        return []
    }

    /// Words between the name of a place and that of its street.
    private static let beforeStreet: Set<String> = [
        "on", "in", "at", "auf", "an", "der", "sur", "la", "le", "en", "calle", "su", "via", "na", "на",
    ]

    private func isBeside(_ place: Found, _ streets: [Found]) throws(PlaceIndexError) -> Bool {
        let position = Coordinate(
            clampingLatitude: place.position.latitude, wrappingLongitude: place.position.longitude)
        for street in streets {
            let distance =
                try indexes[street.index].bounds(of: street.candidate.id)?.distance(to: position)
                ?? MeanSphere.distance(from: street.position, to: place.position)
            if distance <= Self.besideStreet { return true }
        }
        return false
    }
}
