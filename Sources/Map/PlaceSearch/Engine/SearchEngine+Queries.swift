import LocationModel

// Interpretations of a query.

extension SearchEngine {
    /// Returns the places for all interpretations of a text, except for coordinates.
    func interpretations(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard !query.words.isEmpty else { return [] }
        var found = try named(query.words, isPrefix: query.isPrefix, scope)
        // A word for a category is neither corrected nor taken for an address.
        if !PlaceCategory.meant(by: query.key).isEmpty { return found }
        found += try addresses(query, scope)
        if let streets = query.streets {
            found += try crossings(of: streets.first, and: streets.second, isPrefix: query.isPrefix, scope)
        }
        // Where streets cross, "en" is "and", and not "in".
        if let parts = query.parts, !found.contains(where: { $0.crossing != nil }) {
            found += try near(parts, query, scope)
        }
        if !found.contains(where: { isConvincing($0, scope) }) { found += try crossings(query, scope) }
        if !found.contains(where: { isConvincing($0, scope) }) {
            found += try inContext(query.words, isPrefix: query.isPrefix, scope)
        }
        found += try ofKind(query, isWhole: found.contains { isConvincing($0, scope) }, scope)
        if !found.contains(where: { isConvincing($0, scope) }) { found += try onStreet(query, scope) }
        if !found.contains(where: { isConvincing($0, scope) }) {
            found += try corrected(
                query.words, isPrefix: query.isPrefix, isComplete: !query.isTyping, scope)
        }
        return found
    }

    /// True if a place matches so well that corrections are not needed.
    private func isConvincing(_ found: Found, _ scope: Scope) -> Bool {
        if found.house != nil || found.crossing != nil { return true }
        guard found.match > .partial else { return false }
        // What is far away is meant if its whole name is typed; else a misspelt name of the neighbourhood is as likely.
        if found.match < .exact, !regions.isEmpty, let center = scope.center,
            MeanSphere.distance(from: center.degrees, to: found.position) > Self.neighbourhood
        {
            return false
        }
        // A minor place with another name that matches, such as "San Fransisco Bay", does not make the spelling
        // correct.
        if found.match < .exact, found.candidate.alias != nil, found.candidate.importance < 550 { return false }
        // A village needs its whole name; a city, its first words or letters.
        let least = found.match == .exact || scope.isTyping ? 300 : 500
        guard found.candidate.importance < least else { return true }
        guard let center = scope.center else { return found.kind != .settlement && found.kind != .suburb }
        return MeanSphere.distance(from: center.degrees, to: found.position) < 50_000
    }

    // MARK: In, near

    /// Returns the places for "pharmacy near the station" or "coffee in Vaduz".
    private func near(
        _ parts: (what: [String], place: [String]), _ query: PlaceQuery, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard let anchor = try anchor(parts.place, isPrefix: query.isPrefix, scope) else { return [] }
        let center = Coordinate(anchor.position)
        let radius = radius(of: anchor)
        let categories = PlaceCategory.meant(by: parts.what.joined(separator: " "))
        var found: [Found] = []
        if !categories.isEmpty {
            found = try spots(categories.map(\.name), around: center, radius: max(10_000, radius), count: 20)
        } else {
            found = try named(parts.what, isPrefix: false, scope.from(center, for: scope.kinds))
                .filter { MeanSphere.distance(from: anchor.position, to: $0.position) <= max(3000, radius) }
        }
        // A preposition is strong evidence.
        for index in found.indices { found[index].score += 3 }
        return found
    }

    /// Returns the place after a preposition, such as "the harbour" or "Vaduz": the likeliest one, or the nearest of a
    /// category.
    func anchor(
        _ words: [String], isPrefix: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> Found? {
        let categories = PlaceCategory.meant(by: words.joined(separator: " "))
        if !categories.isEmpty, let center = scope.center {
            let nearest = try spots(categories.map(\.name), around: center, radius: 30_000, count: 1).first
            if let nearest { return nearest }
        }
        var places = try named(words, isPrefix: isPrefix, scope.from(scope.center))
        if places.isEmpty { places = try inContext(words, isPrefix: isPrefix, scope.from(scope.center)) }
        return ranked(places, near: scope.center, limit: 1).first
    }

    private func radius(of anchor: Found) -> Double {
        switch anchor.kind {
        case .country: 1_000_000
        case .region: 200_000
        case .settlement: 1.5 * reach(importance: anchor.candidate.importance)
        case .suburb: 2000
        default: 1500
        }
    }

    /// Returns the places for "Museum Vaduz", "Vaduz, Museum", "Paris Texas" or "9494 Schaan Bahnhofstrasse", where
    /// some words locate the rest.
    func inContext(
        _ words: [String], isPrefix: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard (2...8).contains(words.count) else { return [] }
        for length in stride(from: words.count - 1, through: 1, by: -1) {
            var found: [Found] = []
            for isFirst in [true, false] {
                let what = Array(isFirst ? words.prefix(length) : words.suffix(length))
                let place = Array(isFirst ? words.suffix(words.count - length) : words.prefix(words.count - length))
                found += try places(what, in: place, isTyping: isPrefix ? (isFirst ? .place : .what) : .nothing, scope)
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The greatest number of letters of a state's abbreviation, such as "Penn" or "Glos".
    private static let longestState = 4

    private enum Typing { case nothing, what, place }

    private func places(
        _ what: [String], in place: [String], isTyping: Typing, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        // Postal codes help to select a place but do not name one.
        var names = place.filter { !$0.utf8.contains { (48...57).contains($0) } }
        if names.count > 1 { names.removeAll { PlaceQuery.townWords.contains($0) } }
        let codes = place.filter { $0.utf8.contains { (48...57).contains($0) } }
        guard !names.isEmpty else {
            guard !codes.isEmpty else { return [] }
            return try named(what, isPrefix: isTyping == .what, scope).keeping { (found) throws(PlaceIndexError) in
                codes == [try indexes[found.index].context(found.candidate.context).postalCode?.lowercased() ?? ""]
            }
        }
        // In "Helsinki Finland" the first word names the town, and the rest locates it. What no index has, such as the letters
        // of a state, does not hide a street of the town.
        var streets: [Found] = []
        for count in stride(from: names.count, through: 1, by: -1) {
            let rest = Array(names.suffix(names.count - count))
            let anchors = try settled(
                Array(names.prefix(count)), isPrefix: isTyping == .place && rest.isEmpty, scope)
            var found: [Found] = []
            for anchor in anchors {
                let inside = try places(what, isPrefix: isTyping == .what, in: anchor, scope)
                found += try located(inside, by: rest)
                if streets.isEmpty, rest.allSatisfy({ $0.unicodeScalars.count <= Self.longestState }) {
                    streets = inside.filter { $0.kind == .street }
                }
            }
            if !found.isEmpty { return found }
        }
        return streets
    }

    private func places(
        _ what: [String], isPrefix: Bool, in anchor: Found, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        let center = Coordinate(anchor.position)
        let categories = scope.kinds == nil ? PlaceCategory.meant(by: what.joined(separator: " ")) : []
        var found: [Found] = []
        if !categories.isEmpty, anchor.kind == .settlement || anchor.kind == .suburb {
            found = try spots(categories.map(\.name), around: center, radius: radius(of: anchor), count: 20)
        }
        found += try named(what, isPrefix: isPrefix, scope.from(center, for: scope.kinds))
            .sorted { $0.score > $1.score }.prefix(30)
            .keeping { (item) throws(PlaceIndexError) in try isInside(item, anchor) }
        // A location in a named small place counts as much as importance.
        for index in found.indices { found[index].score += anchor.match == .exact ? 1.5 : 1 }
        return found
    }

    /// Returns the places whose address has all of the words.
    private func located(_ found: [Found], by words: [String]) throws(PlaceIndexError) -> [Found] {
        guard !words.isEmpty else { return found }
        return try found.keeping { (item) throws(PlaceIndexError) in
            let address = try address(of: item)
            let known = [address.locality, address.administrativeArea, address.country, address.isoCountryCode]
                .compactMap { $0 }.flatMap { Folding.words(Folding.fold($0)) }
            return words.allSatisfy { known.contains($0) }
        }
    }

    /// Returns the settlements, states and countries of exactly this name, and the settlements of the neighbourhood whose names
    /// begin with it: "Frankfurt" is "Frankfurt am Main" there.
    private func settled(
        _ words: [String], isPrefix: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        let kinds: Set<FoundPlace.Kind> = [.settlement, .suburb, .region, .country]
        let found = try named(words, isPrefix: isPrefix, scope.from(scope.center, for: kinds))
        return ranked(
            found.filter { $0.match == .exact || $0.match == .words && (isPrefix || isShort($0, words, scope)) },
            near: scope.center, limit: 4)
    }

    /// True if the words are the first of the name of a settlement of the neighbourhood.
    private func isShort(_ item: Found, _ words: [String], _ scope: Scope) -> Bool {
        scope.center != nil && item.kind == .settlement && item.candidate.alias == nil && isNear(item, scope)
            && Folding.words(Folding.fold(item.candidate.name)).starts(with: words)
    }

    private func address(of item: Found) throws(PlaceIndexError) -> PlaceAddress {
        try complete(
            try indexes[item.index].context(item.candidate.context), at: Coordinate(item.position), kind: item.kind)
    }

    private func isInside(_ item: Found, _ anchor: Found) throws(PlaceIndexError) -> Bool {
        if item.index == anchor.index, item.candidate.id == anchor.candidate.id { return false }
        switch anchor.kind {
        case .country, .region:
            let outer = try indexes[anchor.index].context(anchor.candidate.context)
            let inner = try address(of: item)
            guard inner.isoCountryCode == outer.isoCountryCode else { return false }
            return anchor.kind == .country
                || Folding.fold(inner.administrativeArea ?? "") == Folding.fold(anchor.candidate.name)
        default:
            return MeanSphere.distance(from: anchor.position, to: item.position) <= max(2500, radius(of: anchor))
        }
    }

    // MARK: Addresses

    /// The least number of queries for a reading of an address.
    private static let readingBudget = 12

    /// The ways to find the street of an address.
    private enum AddressStep: CaseIterable { case asTyped, inContext, corrected }

    /// Returns the houses with a number in the streets named by the other words.
    private func addresses(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard scope.kinds?.contains(.address) ?? true else { return [] }
        var streetScope = scope
        streetScope.kinds = [.street]
        var houses: [Found] = []
        var streets: [Found] = []
        var isExact = false
        var readings = query.addresses
        // The readings are tried as they are before any is taken apart or corrected, which costs more.
        for step in AddressStep.allCases where houses.isEmpty {
            var rest: [PlaceQuery.Address] = []
            for address in readings where !isExact {
                // Each reading has its chance.
                budget = max(budget, Self.readingBudget)
                let found =
                    switch step {
                    case .asTyped: try named(address.street, isPrefix: true, streetScope)
                    case .inContext: try inContext(address.street, isPrefix: query.isPrefix, streetScope)
                    case .corrected:
                        try corrected(address.street, isPrefix: false, isComplete: true, streetScope)
                    }
                if found.isEmpty { rest.append(address) }
                for street in ranked(found, near: scope.center, limit: 12) {
                    guard let number = address.number,
                        let (house, mismatch) = try indexes[street.index].house(number, in: street.candidate.id)
                    else {
                        streets.append(street)
                        continue
                    }
                    // What is another number with one reading may be the same with the next: "5 A Street".
                    if mismatch == 0, !isExact {
                        isExact = true
                        houses.removeAll()
                    }
                    var item = street
                    item.house = house
                    item.score += mismatch == 0 ? 3 : 2 - 0.1 * Double(mismatch)
                    houses.append(item)
                }
            }
            readings = rest
        }
        // Without the house, its street is the best result, unless the number means something else.
        for index in streets.indices { streets[index].score -= 1 }
        return houses.isEmpty ? streets : houses
    }

    // MARK: Crossings

    /// Returns the crossings of two streets named one after the other, "Ecke" before them or not.
    private func crossings(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        let words = Array(PlaceQuery.withoutCorner(query.words))
        guard (2...8).contains(words.count), query.numbers.isEmpty else { return [] }
        for length in 1..<words.count {
            let found = try crossings(
                of: Array(words.prefix(length)), and: Array(words.dropFirst(length)), isPrefix: query.isPrefix, scope)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns the crossings of streets with one name and those with another, of which the last word may be a prefix.
    private func crossings(
        of first: [String], and second: [String], isPrefix: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard scope.kinds?.contains(.intersection) ?? true else { return [] }
        let streets = scope.from(scope.center, for: [.street])
        let ones = ranked(
            try named(first, isPrefix: false, streets).filter { Self.isStreet($0, meantBy: first, isPrefix: false) },
            near: scope.center, limit: 8)
        guard !ones.isEmpty else { return [] }
        let others = ranked(
            try named(second, isPrefix: isPrefix, streets).filter {
                Self.isStreet($0, meantBy: second, isPrefix: isPrefix)
            }, near: scope.center, limit: 8)
        var found: [Found] = []
        for one in ones {
            for other in others where other.index == one.index && other.candidate.id != one.candidate.id {
                guard
                    let crossing = try indexes[one.index].crossing(
                        of: one.candidate.id, and: other.candidate.id, called: other.candidate.name, near: scope.center)
                else { continue }
                var item = one
                item.crossing = crossing
                item.match = min(one.match, other.match)
                // Two names are stronger evidence than one.
                item.score = (one.score + other.score) / 2 + 2
                found.append(item)
            }
        }
        return found
    }

    /// True if words mean a street: they are its whole name, or all of it but types and directions. "Broadway" is "South Broadway",
    /// and "Fleet" is "Fleet Street".
    private static func isStreet(_ item: Found, meantBy words: [String], isPrefix: Bool) -> Bool {
        if item.match == .exact { return true }
        guard words.contains(where: { $0.first?.isNumber == true || StreetWords.isName($0) }) else { return false }
        var left = Folding.words(Folding.fold(item.candidate.name))
        for (position, word) in words.enumerated() {
            let forms = [word] + (StreetWords.meaning(of: word)?.words ?? [])
            let isBeginning = isPrefix && position == words.count - 1
            guard let place = left.firstIndex(where: { forms.contains($0) || isBeginning && $0.hasPrefix(word) })
            else { return false }
            left.remove(at: place)
        }
        return !left.contains(where: StreetWords.isName)
    }
}

extension Sequence {
    /// Filters with a predicate that throws the index's errors.
    fileprivate func keeping(
        _ isKept: (Element) throws(PlaceIndexError) -> Bool
    ) throws(PlaceIndexError) -> [Element] {
        var kept: [Element] = []
        for element in self where try isKept(element) { kept.append(element) }
        return kept
    }
}
