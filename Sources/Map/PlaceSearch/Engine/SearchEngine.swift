import Glibc
import LocationModel

/// The search of a ``PlaceSearcher``, on one thread at a time.
final class SearchEngine {
    /// A place that may match the query.
    struct Found {
        /// The index that contains it.
        var index: Int
        var candidate: PlaceIndex.Candidate
        /// The likelihood of the match: 1 is worth a factor of ten in population.
        var score: Double
        /// The kind of the name's match.
        var match: Match
        /// The house, if the candidate is its street.
        var house: PlaceIndex.House?
        /// The crossing, if the candidate is one of its streets.
        var crossing: PlaceIndex.Crossing?
        /// The words of the name instead of the typed ones; empty if those match.
        var corrected: [String] = []
        /// The typed words, if they are in another name of the candidate; empty if they are in its first one, or in a complete
        /// other one.
        var otherNameWords: [String] = []

        var position: MeanSphere.Position {
            crossing?.position ?? house?.position ?? candidate.position
        }
        var kind: FoundPlace.Kind {
            if crossing != nil { return .intersection }
            return house == nil ? candidate.kind : .address
        }
    }

    /// The kind of a name's match with the query.
    enum Match: Int, Comparable {
        /// Some words match.
        case partial
        /// All words match, the last one possibly as a prefix.
        case words
        /// The whole name matches.
        case exact

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// The coordinate and options of a search.
    struct Scope {
        /// The coordinate near which places come first.
        var center: Coordinate?
        var visible: PlaceBounds?
        var kinds: Set<FoundPlace.Kind>?
        /// True while the text is being typed. Other names are then found by their beginnings, too.
        var isTyping = false

        init(center: Coordinate?, kinds: Set<FoundPlace.Kind>? = nil, isTyping: Bool = false) {
            self.center = center
            self.kinds = kinds
            self.isTyping = isTyping
        }

        /// The scope of a request: around `near` if it is visible, or else around the middle of what is visible.
        init(near: Coordinate?, visible: PlaceBounds?, kinds: Set<FoundPlace.Kind>? = nil, isTyping: Bool = false) {
            let isVisible = near.flatMap { visible?.contains($0) } ?? true
            self.init(center: isVisible ? near ?? visible?.center : visible?.center, kinds: kinds, isTyping: isTyping)
            self.visible = visible
        }

        /// The same search from another position, for other kinds, and whatever is visible.
        func from(_ center: Coordinate?, for kinds: Set<FoundPlace.Kind>? = nil) -> Scope {
            Scope(center: center, kinds: kinds, isTyping: isTyping)
        }
    }

    let indexes: [PlaceIndex]
    /// The positions of the regions in ``indexes``: all before the first that is of the world.
    let regions: Range<Int>
    /// The number of rows of each query to an index.
    static let rows = 50

    /// The towns of cells: results are often neighbours, those of the next letter typed most of all.
    private var towns: [UInt32: Found?] = [:]
    /// The settlements read for the towns, by index.
    private var settlements: [Int: [PlaceIndex.Neighbourhood]] = [:]
    /// The numbers of towns, and of the lists of settlements of an index, from which on those are read again.
    private static let (mostTowns, mostSettlements) = (500, 8)
    /// The remaining number of queries for names in this call. Texts of many words have very many interpretations.
    var budget = 0
    private static let budget = 40

    init(indexes: [PlaceIndex]) {
        self.indexes = indexes
        regions = 0..<(indexes.firstIndex { !$0.isRegion } ?? indexes.count)
    }

    /// Begins a call.
    func begin() {
        budget = Self.budget
        for index in indexes { index.begin() }
    }

    // MARK: Names

    /// Returns the places whose names have all the words.
    ///
    /// - Parameter numbers: The positions of the indexes to search in ``indexes``; `nil` for all.
    func named(
        _ words: [String], isPrefix: Bool, _ scope: Scope, in numbers: Range<Int>? = nil
    ) throws(PlaceIndexError) -> [Found] {
        guard !words.isEmpty, budget > 0 else { return [] }
        budget -= 1
        let found = try literallyNamed(words, isPrefix: isPrefix, scope, in: numbers)
        return found.isEmpty ? try streets(words, isPrefix: isPrefix, scope, in: numbers) : found
    }

    /// Returns the streets in whose names some of the words are written in another form: "Main St" is "Main Street". If there is
    /// none, those whose names lack articles and types that people add, and have words that begin with a typed letter.
    private func streets(
        _ words: [String], isPrefix: Bool, _ scope: Scope, in numbers: Range<Int>?
    ) throws(PlaceIndexError) -> [Found] {
        guard scope.kinds?.contains(.street) ?? true, let elements = StreetWords.elements(of: words) else { return [] }
        let numbers = (numbers ?? indexes.indices).filter { indexes[$0].hasStreets }
        if elements.contains(where: { !$0.others.isEmpty }) {
            let strict = try streets(elements, needed: elements, isPrefix: isPrefix, scope, in: numbers)
            guard strict.isEmpty else { return strict }
        }
        let needed = elements.filter { !$0.isOptional && !$0.isInitial }
        // Without a word of a name, every street would have the rest.
        guard needed.contains(where: \.isName) else { return [] }
        if needed.count < elements.count {
            let found = try streets(elements, needed: needed, isPrefix: isPrefix, scope, in: numbers)
            guard found.isEmpty else { return found }
        }
        guard !scope.isTyping || scope.kinds == [.street],
            let shortened = try shortened(elements, isPrefix: isPrefix, in: numbers)
        else { return [] }
        return try streets(
            shortened, needed: shortened.filter { !$0.isOptional && !$0.isInitial }, isPrefix: isPrefix, scope,
            in: numbers)
    }

    /// Returns elements of which those that no name has are beginnings of words ("Friedr. Ebert"), and those before the last
    /// word of a name may be its first letters ("Giuseppe Mazzini" is "G. Mazzini"); `nil` if nothing changes.
    private func shortened(
        _ elements: [StreetWords.Element], isPrefix: Bool, in numbers: [Int]
    ) throws(PlaceIndexError) -> [StreetWords.Element]? {
        guard let last = elements.lastIndex(where: \.isName) else { return nil }
        var result = elements
        var isChanged = false
        for index in elements.indices where elements[index].isName {
            let word = elements[index].typed
            // "L'Abbé" is one word of a name.
            let elided = "aeiouh".contains(word.first ?? " ") ? ["l", "d", "dell", "all"].map { $0 + word } : []
            result[index].others += elided
            if isPrefix, index == elements.count - 1 {
                isChanged = isChanged || !elided.isEmpty
                continue
            }
            if try !has([word], isPrefix: false, in: numbers) {
                result[index].isBeginning = word.unicodeScalars.count >= 2
            } else if index != last, let first = word.first, first.isLetter {
                result[index].others.append(String(first))
            }
            isChanged = isChanged || result[index].isBeginning || !result[index].others.isEmpty
        }
        return isChanged ? result : nil
    }

    /// Returns the streets whose names have the needed elements, and a word for each initial.
    private func streets(
        _ elements: [StreetWords.Element], needed: [StreetWords.Element], isPrefix: Bool, _ scope: Scope,
        in numbers: [Int]
    ) throws(PlaceIndexError) -> [Found] {
        // The last word may be a prefix only if it is needed.
        let isPrefix = isPrefix && needed.last?.typed == elements.last?.typed
        var found: [Found] = []
        for number in numbers {
            let candidates = try indexes[number].candidates(
                groups: needed.map { $0.isBeginning ? [$0.typed + "*"] + $0.others : $0.forms }, isPrefix: isPrefix,
                around: scope.center, limit: Self.rows)
            for candidate in candidates where candidate.kind == .street {
                guard let written = Self.written(elements, in: candidate.name),
                    let item = try assess(candidate, number, written, isPrefix: isPrefix, scope)
                else { continue }
                found.append(item)
            }
        }
        return found
    }

    /// Returns the elements as a name has them and in its order, the beginning of a word last; `nil` if the name has no word for
    /// an initial.
    private static func written(_ elements: [StreetWords.Element], in name: String) -> [String]? {
        var left: [String?] = Folding.words(Folding.fold(name))
        var written: [(place: Int, word: String)] = []
        /// Takes a word out of the name.
        func take(_ isMeant: (String) -> Bool) -> Bool {
            guard let place = left.firstIndex(where: { $0.map(isMeant) ?? false }), let word = left[place] else {
                return false
            }
            written.append((place, word))
            left[place] = nil
            return true
        }
        for element in elements where !element.isInitial || element.forms.contains(where: { left.contains($0) }) {
            let form = element.forms.map { Folding.words($0) }.first { $0.allSatisfy { left.contains($0) } }
            if let form {
                for word in form { _ = take { $0 == word } }
            } else if element.isBeginning {
                guard take({ $0.hasPrefix(element.typed) }) else { return nil }
            } else if !element.isOptional {
                written.append((left.count, element.typed))
            }
        }
        for element in elements where element.isInitial && !element.isOptional {
            guard
                written.contains(where: { element.forms.contains($0.word) }) || take({ $0.hasPrefix(element.typed) })
            else { return nil }
        }
        return written.sorted { $0.place < $1.place }.map(\.word)
    }

    /// Returns the places whose names have all the words as they are.
    private func literallyNamed(
        _ words: [String], isPrefix: Bool, _ scope: Scope, in numbers: Range<Int>?
    ) throws(PlaceIndexError) -> [Found] {
        let key = words.joined(separator: " ")
        // A short beginning matches too many complete names to read them all, except in scripts with many letters.
        let isLong = key.utf8.count >= 4
        var found: [Found] = []
        for number in numbers ?? indexes.indices {
            let index = indexes[number]
            var candidates = try index.candidates(
                words: words, isPrefix: isPrefix, around: scope.center, limit: Self.rows)
            candidates += try index.aliases(key, isPrefix: isPrefix && isLong && scope.isTyping, limit: Self.rows)
            var seen: [Int64: Int] = [:]
            for candidate in candidates where scope.kinds?.contains(candidate.kind) ?? true {
                guard let item = try assess(candidate, number, words, isPrefix: isPrefix, scope) else { continue }
                if let known = seen[candidate.id] {
                    if found[known].score < item.score { found[known] = item }
                    continue
                }
                seen[candidate.id] = found.count
                found.append(item)
            }
        }
        return found
    }

    /// Returns a candidate of the index `number` with its score; `nil` if it is not to be shown.
    func assess(
        _ candidate: PlaceIndex.Candidate, _ number: Int, _ words: [String], isPrefix: Bool, _ scope: Scope
    ) throws(PlaceIndexError) -> Found? {
        let index = indexes[number]
        let known = compare(
            candidate, in: index, words, words.joined(separator: " "), isPrefix: isPrefix, scope)
        // A suggestion has to contain the typed text. A look-up of the other names takes too long for a keystroke.
        if scope.isTyping, known == nil { return nil }
        let (match, quality) = known ?? (.words, 0.3)
        let score = try quality + Double(candidate.importance) / 100 + bonus(candidate, in: index, scope)
        return Found(
            index: number, candidate: candidate, score: score, match: match,
            otherNameWords: known == nil ? words : [])
    }

    /// Returns the kind of the name's match and its score; `nil` if the words are in other names of the place.
    private func compare(
        _ candidate: PlaceIndex.Candidate, in index: PlaceIndex, _ words: [String], _ key: String, isPrefix: Bool,
        _ scope: Scope
    ) -> (Match, Double)? {
        if let alias = candidate.alias {
            // Names of three letters are codes of countries and airports.
            if alias == key {
                // That of an airport of an installed region is not that of its town.
                if candidate.category.flatMap({ index.categories[$0] }) == "airport" { return (.exact, 6.5) }
                return alias.utf8.count > 3 ? (.exact, scope.center == nil ? 2.6 : 2.9) : (.words, 2.6)
            }
            return (.words, 1 + 0.6 * Double(key.utf8.count) / Double(alias.utf8.count))
        }
        let name = Folding.fold(candidate.name)
        let isBorrowed =
            candidate.category.flatMap { index.categories[$0] }.map(PlaceCategory.borrowing.contains) ?? false
        // Near a coordinate, many have similar names.
        if name == key { return (.exact, isBorrowed ? 2.4 : scope.center == nil ? 3 : 3.8) }
        // A street in two languages: "Rue de la Loi - Wetstraat".
        if candidate.kind == .street, Self.halves(of: candidate.name).contains(key) { return (.exact, 3.6) }
        let share = Double(key.utf8.count) / Double(max(1, name.utf8.count))
        if isPrefix, name.hasPrefix(key) { return (.words, (scope.center == nil ? 1.6 : 2.1) + 0.9 * share) }
        if name.hasPrefix(key + " ") { return (.words, (scope.center == nil ? 1.6 : 2.1) + 0.9 * share) }
        let parts = name.split(separator: " ")
        let isWhole = words.enumerated().allSatisfy { position, word in
            parts.contains { isPrefix && position == words.count - 1 ? $0.hasPrefix(word) : $0 == word }
        }
        return isWhole ? (.words, 0.9 + 0.9 * share) : nil
    }

    /// Returns the folded names of a street that has two, one after the other; of another none.
    private static func halves(of name: String) -> [String] {
        // To search a text takes long, and most names have neither sign: a slash, a hyphen, or the first byte of a dash.
        guard name.utf8.contains(where: { $0 == 0x2F || $0 == 0x2D || $0 == 0xE2 }) else { return [] }
        for sign in [" - ", " – ", " / ", "/"] where name.contains(sign) {
            return name.split(separator: sign).map { Folding.fold($0) }
        }
        return []
    }

    /// Returns the score for being near.
    private func bonus(
        _ candidate: PlaceIndex.Candidate, in index: PlaceIndex, _ scope: Scope
    ) throws(PlaceIndexError) -> Double {
        guard let center = scope.center else { return 0 }
        var distance = MeanSphere.distance(from: center.degrees, to: candidate.position)
        // The middle of a long street may be far from its end around the corner.
        if let nearest = try nearestPoint(of: candidate, in: index, to: center, distance: distance) {
            distance = min(distance, 200 + MeanSphere.distance(from: center.degrees, to: nearest))
        }
        let isSeen = scope.visible?.contains(Coordinate(candidate.position)) ?? false
        return nearness(distance, of: candidate.kind) + (isSeen ? 0.5 : 0)
    }

    /// Returns the point of a long street that is nearest to a position; `nil` for other places, and for streets whose middle, at
    /// `distance` metres, is near or of which all is far away.
    private func nearestPoint(
        of candidate: PlaceIndex.Candidate, in index: PlaceIndex, to center: Coordinate, distance: Double
    ) throws(PlaceIndexError) -> MeanSphere.Position? {
        guard candidate.kind == .street, (Self.longStreet...Self.near * 4).contains(distance),
            let bounds = try index.bounds(of: candidate.id), bounds.distance(to: center) < distance
        else { return nil }
        return try index.nearestPoint(ofStreet: candidate.id, to: center)
    }

    /// The distance from which the middle of a street is not where one is on it, in metres.
    private static let longStreet = 300.0

    /// Returns the weight of a distance: a town may be farther than a shop.
    func nearness(_ distance: Double, of kind: FoundPlace.Kind) -> Double {
        switch kind {
        case .country, .region, .settlement, .postalCode: max(0, 6 - 1.5 * log10(1 + distance / 1000))
        default: max(0, 8 - 2.4 * log10(1 + distance / 250))
        }
    }

    /// The greatest distance of a place that is near, in metres.
    private static let near = 5000.0
    /// The distance from which a place is far away, in metres.
    private static let far = 500_000.0

    /// Lowers the scores of places that are far away below those of all near ones, unless the text names them exactly:
    /// who types "lon" in a town with a Long Road does not mean London.
    private func preferNear(_ found: inout [Found], _ center: Coordinate) {
        func distance(_ item: Found) -> Double { MeanSphere.distance(from: center.degrees, to: item.position) }
        guard let least = found.lazy.filter({ distance($0) <= Self.near }).map(\.score).min() else { return }
        for index in found.indices where found[index].match < .exact && distance(found[index]) > Self.far {
            // Their order among themselves stays.
            found[index].score = min(found[index].score, least - 100 + found[index].score / 100)
        }
    }

    // MARK: One of each

    /// Returns the likeliest places, each once: another index may contain the same one, and a bus stop has a sign on
    /// either side of the road.
    func ranked(_ found: [Found], near center: Coordinate?, limit: Int) -> [Found] {
        var found = found
        if let center { preferNear(&found, center) }
        var result: [Found] = []
        for item in found.sorted(by: { ($0.score, $1.index, $1.candidate.id) > ($1.score, $0.index, $0.candidate.id) })
        {
            if let same = result.firstIndex(where: { isSame($0, item) }) {
                // A region's index has better details, the world's a better importance.
                if (item.index, item.kind == .settlement ? 0 : 1)
                    < (result[same].index, result[same].kind == .settlement ? 0 : 1)
                {
                    let score = result[same].score
                    result[same] = item
                    result[same].score = score
                }
                continue
            }
            result.append(item)
            if result.count >= 4 * limit { break }
        }
        return Array(result.prefix(limit))
    }

    private func isSame(_ a: Found, _ b: Found) -> Bool {
        if a.crossing != nil || b.crossing != nil {
            guard a.crossing != nil, b.crossing != nil else { return false }
            return MeanSphere.distance(from: a.position, to: b.position) <= PlaceIndex.Crossing.reach
        }
        if a.index == b.index, a.candidate.id == b.candidate.id { return a.house?.id == b.house?.id }
        if let source = a.candidate.source, source == b.candidate.source { return a.house?.number == b.house?.number }
        let reach: Double =
            switch (a.kind, b.kind) {
            case (.settlement, .settlement), (.settlement, .suburb), (.suburb, .settlement): 8000
            // A city may be a state, too.
            case (.settlement, .region), (.region, .settlement): 15_000
            case (.country, .country): 2_000_000
            case (.region, .region): 300_000
            case (.street, .street): a.index == b.index ? 0 : 1500
            case (.address, .address): 100
            case (.pointOfInterest, .pointOfInterest) where a.candidate.category == b.candidate.category: 150
            default: 0
            }
        guard reach > 0, MeanSphere.distance(from: a.position, to: b.position) <= reach else { return false }
        guard a.house?.number == b.house?.number else { return false }
        if a.candidate.name == b.candidate.name { return !a.candidate.name.isEmpty }
        guard a.index != b.index else { return false }
        return Folding.fold(a.candidate.name) == Folding.fold(b.candidate.name)
    }

    // MARK: Places

    /// Adds the other names in which the typed words were found.
    func named(_ found: [Found]) throws(PlaceIndexError) -> [Found] {
        var result = found
        for number in indexes.indices {
            let unnamed = found.indices.filter { found[$0].index == number && !found[$0].otherNameWords.isEmpty }
            guard !unnamed.isEmpty else { continue }
            let names = try indexes[number].otherNames(of: unnamed.map { found[$0].candidate.id })
            for position in unnamed {
                let item = found[position]
                result[position].candidate.alias = names[item.candidate.id]?.first { name in
                    let words = Set(Folding.words(name))
                    return item.otherNameWords.allSatisfy(words.contains)
                }
            }
        }
        return result
    }

    /// Returns the place with the details of all indexes.
    func place(_ found: Found, distancesFrom center: Coordinate?) throws(PlaceIndexError) -> FoundPlace {
        var place = try indexes[found.index].place(found.candidate)
        if found.house == nil, let alias = found.candidate.alias, !alias.isEmpty { place.alternativeName = alias }
        if let house = found.house {
            place.kind = .address
            place.id += "/\(house.number)"
            (place.latitude, place.longitude) = house.position
            place.address.subThoroughfare = house.number
            place.address.postalCode = house.postcode ?? place.address.postalCode
            place.bounds = nil
        }
        if let crossing = found.crossing {
            place.kind = .intersection
            place.id += "/\(crossing.other)"
            place.name += " & \(crossing.name)"
            place.address.thoroughfare = nil
            (place.latitude, place.longitude) = crossing.position
            place.bounds = nil
        }
        if let center, place.kind == .street,
            let nearest = try nearestPoint(
                of: found.candidate, in: indexes[found.index], to: center,
                distance: center.distance(to: place.coordinate))
        {
            // What is around the corner is meant, and not the middle at the other end of the town.
            (place.latitude, place.longitude) = nearest
        }
        if place.kind == .settlement { place.estimatedRadius = reach(importance: found.candidate.importance).rounded() }
        place.address = try complete(place.address, at: place.coordinate, kind: place.kind)
        if found.house != nil, let line = place.address.streetLine { place.name = line }
        place.distance = center.map { $0.distance(to: place.coordinate) }
        return place
    }

    /// Returns the place with the town, country and time zone of the nearest settlement, if its own index lacks them.
    func complete(
        _ address: PlaceAddress, at coordinate: Coordinate, kind: FoundPlace.Kind
    ) throws(PlaceIndexError) -> PlaceAddress {
        var address = address
        let isTown = kind == .settlement || kind == .region || kind == .country
        if address.timeZone == nil || address.isoCountryCode == nil || (address.locality == nil && !isTown),
            let town = try town(at: coordinate)
        {
            let context = try indexes[town.index].context(town.candidate.context)
            address.timeZone = address.timeZone ?? context.timeZone
            address.isoCountryCode = address.isoCountryCode ?? context.isoCountryCode
            if address.isoCountryCode == context.isoCountryCode, kind != .country, kind != .region {
                address.administrativeArea = address.administrativeArea ?? context.administrativeArea
            }
            if !isTown { address.locality = address.locality ?? town.candidate.name }
        }
        if let code = address.isoCountryCode, address.country == nil {
            for index in indexes {
                if let name = try index.country(code) {
                    address.country = name
                    break
                }
            }
        }
        return address
    }

    /// Returns the settlement of a position: the nearest one, where large ones reach farther. A gazetteer's entry is
    /// preferred, because it has a time zone.
    func town(at coordinate: Coordinate) throws(PlaceIndexError) -> Found? {
        let cell = PlaceGrid.cell(latitude: coordinate.latitude, longitude: coordinate.longitude) >> 4
        if let known = towns[cell] { return known }
        let town = try nearestTown(to: coordinate)
        if towns.count >= Self.mostTowns { towns.removeAll() }
        towns[cell] = .some(town)
        return town
    }

    private func nearestTown(to coordinate: Coordinate) throws(PlaceIndexError) -> Found? {
        for number in indexes.indices.reversed() {
            let near = try settlements(near: coordinate, in: number)
            // At sea and in deserts the nearest settlement still provides the country and time zone.
            let all =
                near.isEmpty
                ? try indexes[number].nearest(Spot.settlement, to: coordinate, count: 3, radius: 600_000) : near
            let best = all.min {
                $0.distance / reach(importance: $0.candidate.importance)
                    < $1.distance / reach(importance: $1.candidate.importance)
            }
            if let best { return Found(index: number, candidate: best.candidate, score: 0, match: .exact) }
        }
        return nil
    }

    /// Returns the dozen settlements of an index nearest to a position, within 20 km. Because results are often
    /// neighbours, one read usually serves the next ones.
    private func settlements(near position: Coordinate, in number: Int) throws(PlaceIndexError) -> [PlaceIndex
        .Neighbour]
    {
        let count = 12
        for known in settlements[number, default: []] {
            if let near = known.nearest(to: position, count: count) { return near }
        }
        let read = try indexes[number].neighbourhood(
            Spot.settlement, of: position, count: 2 * count, radius: 20_000)
        if settlements[number, default: []].count >= Self.mostSettlements { settlements[number] = [] }
        settlements[number, default: []].append(read)
        return Array(read.spots.prefix(count))
    }
}

extension Coordinate {
    /// The coordinate at a position.
    init(_ position: MeanSphere.Position) {
        self.init(clampingLatitude: position.latitude, wrappingLongitude: position.longitude)
    }
}
