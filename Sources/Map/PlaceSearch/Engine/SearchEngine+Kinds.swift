import LocationModel

// A kind or a street beside a name.

extension SearchEngine {
    /// The greatest number of words of a category: "bed and breakfast".
    private static let longestKind = 3
    /// The distance of a place from the street beside its name in a query, in metres.
    private static let besideStreet = 300.0

    /// A name and the categories that a text names beside it.
    private struct NamedKind {
        var categories: [PlaceCategory]
        var name: [String]
        /// True if the name is at the end, where letters may follow.
        var isNameLast: Bool
    }

    /// Returns the places with a name beside a word for their category, in any order: "hotel Klinglhuber", "shell tankstelle",
    /// 渋谷駅.
    ///
    /// - Parameter isWhole: True if only places of exactly that name are meant: "Tokyo station" is the station of the name, and none
    ///   of its shops.
    func ofKind(_ query: PlaceQuery, isWhole: Bool, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard scope.kinds?.contains(.pointOfInterest) ?? true else { return [] }
        var found: [Found] = []
        for kind in Self.namedKinds(query.words) {
            let names = Set(kind.categories.flatMap { $0.isCuisine ? Array(PlaceCategory.serving) : [$0.name] })
            let places = try named(
                kind.name, isPrefix: kind.isNameLast && query.isPrefix,
                scope.from(scope.center, for: [.pointOfInterest]))
            found += places.filter {
                (!isWhole || $0.match == .exact)
                    && names.contains(indexes[$0.index].categories[$0.candidate.category ?? -1] ?? "")
            }
        }
        // Two words for the intended place are stronger evidence than one.
        for index in found.indices { found[index].score += 1 }
        return found
    }

    /// Returns the ways to divide words into a kind and a name. Where words have no spaces between them, the kind is the end of a
    /// word.
    private static func namedKinds(_ words: [String]) -> [NamedKind] {
        var found: [NamedKind] = []
        func add(_ kind: String, _ name: [String], isNameLast: Bool) {
            let categories = PlaceCategory.meant(by: kind)
            guard !categories.isEmpty, name != [""] else { return }
            found.append(NamedKind(categories: categories, name: name, isNameLast: isNameLast))
        }
        for length in 1..<max(2, min(longestKind + 1, words.count)) where length < words.count {
            add(words.prefix(length).joined(separator: " "), Array(words.dropFirst(length)), isNameLast: true)
            add(words.suffix(length).joined(separator: " "), Array(words.dropLast(length)), isNameLast: false)
        }
        guard words.count == 1, let last = words[0].unicodeScalars.last, unspaced.contains(last) else { return found }
        for length in 1...longestEnd {
            add(String(words[0].suffix(length)), [String(words[0].dropLast(length))], isNameLast: false)
        }
        return found
    }

    /// The letters of Chinese, Japanese and Korean.
    private static let unspaced: ClosedRange<Unicode.Scalar> = "\u{3041}"..."\u{D7A3}"
    /// The greatest number of letters of a word for a kind there.
    private static let longestEnd = 5

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
        let position = Coordinate(place.position)
        for street in streets {
            let distance =
                try indexes[street.index].bounds(of: street.candidate.id)?.distance(to: position)
                ?? MeanSphere.distance(from: street.position, to: place.position)
            if distance <= Self.besideStreet { return true }
        }
        return false
    }
}
