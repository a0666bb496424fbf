import LocationModel

// Results and suggestions.

extension SearchEngine {
    func search(
        _ text: String, near: Coordinate?, visible: PlaceBounds?, kinds: Set<FoundPlace.Kind>?, limit: Int
    ) throws(PlaceIndexError) -> PlaceSearchAnswer {
        let meant = MapLink.searchText(of: text)
        let rest = PlaceQuery.withoutOpenNow(meant)
        let text = rest ?? meant
        let query = PlaceQuery(text, isTyping: false, isNearby: rest?.isEmpty ?? false)
        // "Near me" means the user, wherever the map is.
        let scope =
            query.isNearby && near != nil
            ? Scope(center: near, kinds: kinds) : Scope(near: near, visible: visible, kinds: kinds)
        let origin =
            query.isNearby && near != nil ? near : PlaceSearcher.origin(near: near, visible: visible)
        let positions = try positions(text, isTyping: false, scope, near: origin)
        if !positions.isEmpty { return PlaceSearchAnswer(places: positions, origin: origin) }
        if let near, Self.questions.contains(query.key) {
            return PlaceSearchAnswer(places: [try place(at: near, near: near)], origin: origin)
        }
        var absent: PlaceCategory?
        // Many are closed, or their hours are unknown.
        let count = rest == nil ? limit : limit * Self.placesForOneOpen
        let found = try found(query, scope, limit: count, absent: &absent)
        var places = try named(ranked(found, near: scope.center, limit: count)).map { (item) throws(PlaceIndexError) in
            var place = try place(item, distancesFrom: origin)
            place.alternativeName = place.alternativeName.map { Self.shown($0, typed: text) }
            return place
        }
        if rest != nil {
            places.removeAll { $0.openingTimes?.week.isEmpty ?? true }
            absent = nil
        }
        return PlaceSearchAnswer(
            places: try distinguished(places), absent: absent, origin: origin, isAboutOpenNow: rest != nil)
    }

    /// Questions for the user's own place, folded.
    private static let questions: Set<String> = [
        "where am i", "my location", "current location", "wo bin ich", "mein standort", "ou suis je", "ma position",
        "donde estoy", "mi ubicacion", "dove sono", "la mia posizione", "onde estou", "missa olen", "var ar jag",
        "где я", "ここはどこ", "أين أنا",
    ]

    /// The places that are read for each one that is to be open now.
    private static let placesForOneOpen = 5

    private func found(
        _ query: PlaceQuery, _ scope: Scope, limit: Int, absent: inout PlaceCategory?
    ) throws(PlaceIndexError) -> [Found] {
        let hasSpots = scope.kinds?.contains(.pointOfInterest) ?? true
        if query.words.isEmpty { return query.isNearby && hasSpots ? try everyday(scope) : [] }
        // A text that names a category alone means its places, and no others whose name has the word.
        let meant = hasSpots ? PlaceCategory.meant(by: query.key) : []
        var spots = try self.spots(meant, scope, count: limit)
        spots += try served(query, meant, besides: spots, scope)
        guard spots.isEmpty else { return try sights(query, scope) + spots }
        // An index without the category is of an earlier release, or of the world: it does not tell.
        let isKnown = regions.contains { number in meant.contains { indexes[number].spot(of: $0.name) != nil } }
        if isKnown, let center = scope.center {
            return try next(meant, query, scope, around: center, limit: limit, absent: &absent)
        }
        var found = try interpretations(query, scope)
        // Enter means the first suggestion.
        if hasSpots, isFirst(query, scope, among: found) {
            spots = try self.spots(suggested(for: query, scope), scope, count: limit)
        }
        if !spots.isEmpty {
            let best = found.map(\.score).max() ?? 0
            for index in spots.indices { spots[index].score += best + 10 }
            found += spots
        }
        if query.isNearby, let center = scope.center {
            found.removeAll { MeanSphere.distance(from: center.degrees, to: $0.position) > Self.reach }
        }
        return found
    }

    /// The distance within which the places of a category are searched, in metres.
    private static let reach = 50_000.0

    /// Returns the places of categories within reach of the visible part, the nearest first; without a coordinate, those of
    /// all regions.
    private func spots(
        _ categories: [PlaceCategory], _ scope: Scope, count: Int
    ) throws(PlaceIndexError) -> [Found] {
        guard !categories.isEmpty else { return [] }
        let names = categories.map(\.name)
        guard let center = scope.center else { return try spotsOfRegions(names, count: count) }
        let corner = scope.visible.map { Coordinate(clampingLatitude: $0.north, wrappingLongitude: $0.east) }
        let radius = max(Self.reach, corner.map { center.distance(to: $0) } ?? 0)
        return try spots(names, around: center, radius: radius, count: count)
    }

    /// Returns the restaurants and the like within reach that have a cuisine in their names, but not in their tags.
    private func served(
        _ query: PlaceQuery, _ meant: [PlaceCategory], besides spots: [Found], _ scope: Scope
    ) throws(PlaceIndexError) -> [Found] {
        guard meant.contains(where: \.isCuisine), let center = scope.center else { return [] }
        let farthest = spots.map { MeanSphere.distance(from: center.degrees, to: $0.position) }.max() ?? 0
        return try named(query.words, isPrefix: false, scope.from(center, for: [.pointOfInterest])).compactMap {
            let distance = MeanSphere.distance(from: center.degrees, to: $0.position)
            let category = indexes[$0.index].categories[$0.candidate.category ?? -1] ?? ""
            guard distance <= Self.reach, PlaceCategory.serving.contains(category) else { return nil }
            var item = $0
            // Among the tagged ones by distance, whose scores fall with their rank.
            let rank = rank(of: distance, center, spots)
            item.score = distance > farthest ? 4 - distance / Self.reach : Self.score(rank)
            return item
        }
    }

    private func rank(of distance: Double, _ center: Coordinate, _ spots: [Found]) -> Int {
        spots.count { MeanSphere.distance(from: center.degrees, to: $0.position) < distance }
    }

    private static func score(_ rank: Int) -> Double { 5 - Double(rank) * 0.01 }

    /// Returns the places for a text that names a category alone, of which none is within reach: those that have the text as
    /// their whole name, or else the next of the category, and then what is near and has the word in its name. What is far away
    /// and merely has the word in its name is not meant.
    private func next(
        _ meant: [PlaceCategory], _ query: PlaceQuery, _ scope: Scope, around center: Coordinate, limit: Int,
        absent: inout PlaceCategory?
    ) throws(PlaceIndexError) -> [Found] {
        let found = try interpretations(query, scope)
        func isNear(_ item: Found) -> Bool {
            MeanSphere.distance(from: center.degrees, to: item.position) <= Self.reach
        }
        let exact = found.filter { $0.match == .exact && ($0.candidate.importance >= 300 || isNear($0)) }
        guard exact.isEmpty else { return exact + found.filter { $0.match != .exact && isNear($0) } }
        absent = meant.first
        var next = try spots(
            meant.map(\.name), around: center, radius: Self.wholeEarth, count: limit, in: regions)
        for index in next.indices { next[index].score += 100 }
        return next + found.filter(isNear)
    }

    /// A distance that no place exceeds, in metres.
    private static let wholeEarth = 20_100_000.0

    /// Returns the sights around the corner with the words in their names: at the concert hall, "Konzerthaus" does not mean
    /// the nearest theatre.
    private func sights(_ query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard let center = scope.center else { return [] }
        var found = try named(query.words, isPrefix: false, scope.from(center, for: [.pointOfInterest])).filter {
            indexes[$0.index].categories[$0.candidate.category ?? -1] == "attraction"
                && MeanSphere.distance(from: center.degrees, to: $0.position) <= 1000
        }
        // Before the places of the category.
        for index in found.indices { found[index].score += 100 }
        return found
    }

    /// Returns the nearest place of each category that people look for every day: for "near me" alone.
    private func everyday(_ scope: Scope) throws(PlaceIndexError) -> [Found] {
        guard let center = scope.center else { return [] }
        var found: [Found] = []
        for category in PlaceCategory.everyday {
            found += try spots([category], around: center, radius: Self.reach, count: 1).prefix(1)
        }
        for index in found.indices {
            found[index].score = -MeanSphere.distance(from: center.degrees, to: found[index].position)
        }
        return found
    }

    /// True if the text is the beginning of a word for a category that is suggested before all places: none of them has that
    /// name, or none that is near or large, and none that is near begins with it.
    private func isFirst(_ query: PlaceQuery, _ scope: Scope, among found: [Found]) -> Bool {
        guard query.words.count == 1, query.key.utf8.count >= 3,
            let beginning = PlaceCategory.beginning(with: query.key).first
        else { return false }
        let hasPosition = !regions.isEmpty && scope.center != nil
        // Of a far place another name, such as a spelling of long ago, is less likely than the category.
        let isNamed = found.contains { item in
            item.match == .exact
                && (!hasPosition || isNear(item, scope)
                    || item.candidate.importance >= 300 && item.candidate.alias == nil)
        }
        guard !isNamed else { return false }
        // Accepts "coffe" but not "muse".
        if query.key.utf8.count >= 4, beginning.word.utf8.count <= query.key.utf8.count + 2 { return true }
        return hasPosition
            && (Double(query.key.utf8.count) >= 0.6 * Double(beginning.word.utf8.count)
                || !found.contains { $0.match > .partial && $0.corrected.isEmpty && isNear($0, scope) })
    }

    /// Returns the category that is suggested first for the text, the beginning of a word for it.
    private func suggested(for query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [PlaceCategory] {
        guard scope.center != nil else {
            return PlaceCategory.beginning(with: query.key).first.map { PlaceCategory.meant(by: $0.word) } ?? []
        }
        return try rows(by: query, scope).first?.category.flatMap { PlaceCategory.named($0) }.map { [$0] } ?? []
    }

    /// Returns the suggestions of categories with a word that begins with the text.
    private func rows(by query: PlaceQuery, _ scope: Scope) throws(PlaceIndexError) -> [PlaceSuggestion] {
        // A single letter begins too many words.
        let categories = query.key.utf8.count < 2 ? [] : PlaceCategory.beginning(with: query.key)
        // A title in English is the first to be recognized; a word of another language is shown beside it.
        func isTitled(_ entry: (word: String, category: PlaceCategory)) -> Bool {
            entry.word == query.key || !Self.highlights(of: query.words, in: entry.category.title).isEmpty
        }
        let titled = categories.filter { isTitled($0) }
        let others = categories.filter { !isTitled($0) }
        let rows = try rows(titled, for: query.words, scope, count: 2)
        return rows + (try self.rows(others, for: query.words, scope, count: 2 - rows.count))
    }

    func places(
        of category: String, near: Coordinate?, visible: PlaceBounds?, limit: Int
    ) throws(PlaceIndexError) -> [FoundPlace] {
        let scope = Scope(near: near, visible: visible)
        guard let category = PlaceCategory.named(category), scope.center != nil else { return [] }
        return try ranked(spots([category], scope, count: limit), near: nil, limit: limit).map {
            (item) throws(PlaceIndexError) in
            try place(item, distancesFrom: PlaceSearcher.origin(near: near, visible: visible))
        }
    }

    func places(
        of categories: [String], around center: Coordinate, radius: Double, limit: Int, distancesFrom: Coordinate?
    ) throws(PlaceIndexError) -> [FoundPlace] {
        let found = try spots(categories, around: center, radius: radius, count: limit)
        return try ranked(found, near: nil, limit: limit).map { (item) throws(PlaceIndexError) in
            try place(item, distancesFrom: distancesFrom)
        }
    }

    /// Returns the places of categories nearest to a position, with scores in that order.
    ///
    /// - Parameter numbers: The positions of the indexes to search in ``indexes``; `nil` for all.
    func spots(
        _ categories: [String], around center: Coordinate, radius: Double, count: Int, in numbers: Range<Int>? = nil
    ) throws(PlaceIndexError) -> [Found] {
        var found: [(item: Found, distance: Double)] = []
        for number in numbers ?? indexes.indices {
            let index = indexes[number]
            for category in categories {
                guard let kind = index.spot(of: category) else { continue }
                // A few more are read, because a place may be in several indexes.
                for (candidate, distance) in try index.nearest(kind, to: center, count: count + 8, radius: radius) {
                    found.append((Found(index: number, candidate: candidate, score: 0, match: .words), distance))
                }
            }
        }
        found.sort { $0.distance < $1.distance }
        return found.prefix(2 * count).enumerated().map { rank, entry in
            var item = entry.item
            item.score = Self.score(rank)
            return item
        }
    }

    /// Returns the places of categories in all regions, those nearest to the centre of each first: for a search without a
    /// coordinate.
    private func spotsOfRegions(_ categories: [String], count: Int) throws(PlaceIndexError) -> [Found] {
        var found: [Found] = []
        for (number, index) in indexes.enumerated() {
            guard index.isRegion else { continue }
            let (center, radius) = index.extent
            found += try spots(categories, around: center, radius: radius, count: count, in: number..<number + 1)
        }
        return found
    }

    /// Returns the places at the coordinates that the query may mean, or at its plus code. A short code is relative to the place
    /// beside it, or else to the coordinate of the search.
    private func positions(
        _ text: String, isTyping: Bool, _ scope: Scope, near: Coordinate?
    ) throws(PlaceIndexError) -> [FoundPlace] {
        if let coordinate = MapLink(text)?.coordinate { return [try place(at: coordinate, near: near)] }
        if let (code, rest) = PlusCode.first(in: text) {
            var reference = scope.center
            if !code.isFull, !rest.isEmpty {
                let query = PlaceQuery(rest, isTyping: isTyping)
                let anchor = try anchor(query.words, isPrefix: query.isPrefix, scope)
                reference = anchor.map { Coordinate($0.position) }
            }
            if let full = code.isFull ? code : reference.map({ code.full(near: $0) }), let area = full.area {
                var found = try place(at: area.center, near: near)
                found.name = full.text
                // A code of ten digits is as small as a house.
                if area.north - area.south > 0.001 { found.bounds = [area.west, area.south, area.east, area.north] }
                return [found]
            }
        }
        return try CoordinateText.readings(of: text).map { (coordinate) throws(PlaceIndexError) in
            try place(at: coordinate, near: near)
        }
    }

    func place(at coordinate: Coordinate, near: Coordinate?) throws(PlaceIndexError) -> FoundPlace {
        FoundPlace(
            id: "c\(coordinate.latitude),\(coordinate.longitude)",
            name: "\(Self.rounded(coordinate.latitude)), \(Self.rounded(coordinate.longitude))", kind: .coordinate,
            latitude: coordinate.latitude, longitude: coordinate.longitude, address: try address(at: coordinate),
            distance: near.map { $0.distance(to: coordinate) })
    }

    private static func rounded(_ degrees: Double) -> String { "\((degrees * 1e6).rounded() / 1e6)" }

    // MARK: Suggestions

    func suggestions(
        for text: String, near: Coordinate?, visible: PlaceBounds?, limit: Int
    ) throws(PlaceIndexError) -> [PlaceSuggestion] {
        let text = MapLink.searchText(of: text)
        let scope = Scope(near: near, visible: visible, isTyping: true)
        let origin = PlaceSearcher.origin(near: near, visible: visible)
        let positions = try positions(text, isTyping: true, scope, near: origin)
        if !positions.isEmpty { return positions.map { suggestion($0, for: []) } }
        let query = PlaceQuery(text, isTyping: true)
        if query.words.isEmpty {
            guard query.isNearby else { return [] }
            let all = PlaceCategory.everyday.compactMap { PlaceCategory.named($0) }.map { ($0.words[0], $0) }
            return try rows(all, for: [], scope, count: limit)
        }
        let found = nearFirst(
            ranked(try interpretations(query, scope), near: scope.center, limit: 3 * limit), query, scope, limit: limit)
        let places = try distinguished(
            found.map { (item) throws(PlaceIndexError) in try place(item, distancesFrom: origin) })
        var result = zip(found, places).map { item, place in
            suggestion(place, for: item.corrected.isEmpty ? query.words : item.corrected, typed: text)
        }
        guard scope.center != nil else { return result }
        let isExact = !PlaceCategory.meant(by: query.key).isEmpty
        let rows = try rows(by: query, scope)
        // A complete or nearly complete word for a category counts as its meaning.
        let share = rows.first.map { Double(query.key.utf8.count) / Double(max(1, $0.query.utf8.count)) } ?? 0
        if isExact || share >= 0.6 { return Array((rows + result).prefix(limit)) }
        // Kinds come before places that are far away: "rest" is no town in another country.
        let near =
            regions.isEmpty
            ? result.count
            : found.prefix { isNear($0, scope) || $0.match == .exact && $0.candidate.importance >= 300 }.count
        for (index, row) in rows.enumerated() {
            result.insert(row, at: min(result.count, index == 0 ? 3 : 5, near + index))
        }
        return Array(result.prefix(limit))
    }

    /// Returns the likeliest places for a text that is being typed: those of the neighbourhood before all others but the
    /// likeliest, because a few letters are the beginning of names anywhere in the world. Others of one name appear once.
    private func nearFirst(_ found: [Found], _ query: PlaceQuery, _ scope: Scope, limit: Int) -> [Found] {
        guard let center = scope.center, !regions.isEmpty else { return Array(found.prefix(limit)) }
        let isShort = query.key.unicodeScalars.count <= Self.shortBeginning
        var (early, late): ([Found], [Found]) = ([], [])
        var names: Set<String> = []
        var isFirstFar = true
        for item in found {
            if MeanSphere.distance(from: center.degrees, to: item.position) <= Self.neighbourhood {
                if !early.contains(where: { isPiece(item, of: $0) }) { early.append(item) }
                continue
            }
            guard names.insert(Folding.fold(item.candidate.name)).inserted else { continue }
            if isFirstFar || item.match == .exact && !isShort { early.append(item) } else { late.append(item) }
            isFirstFar = false
        }
        return Array((early + late).prefix(limit))
    }

    /// True if both are pieces of one street, but not if they are the high streets of two villages.
    private func isPiece(_ item: Found, of other: Found) -> Bool {
        item.kind == .street && other.kind == .street && item.index == other.index
            && item.candidate.name == other.candidate.name && item.candidate.context == other.candidate.context
            && MeanSphere.distance(from: item.position, to: other.position) <= 1500
    }

    /// The number of letters up to which a text is a beginning rather than a whole name.
    private static let shortBeginning = 4

    /// Returns the suggestions for the first `count` categories of which there are places within reach.
    private func rows(
        _ categories: [(word: String, category: PlaceCategory)], for words: [String], _ scope: Scope, count: Int
    ) throws(PlaceIndexError) -> [PlaceSuggestion] {
        guard let center = scope.center else { return [] }
        var rows: [PlaceSuggestion] = []
        for (word, category) in categories {
            guard rows.count < count else { break }
            guard try !spots([category.name], around: center, radius: Self.reach, count: 1).isEmpty else { continue }
            var title = category.title
            if !words.isEmpty, Self.highlights(of: words, in: title).isEmpty {
                title += " — \(category.spelling(of: word))"
            }
            rows.append(
                PlaceSuggestion(
                    title: title, subtitle: "Search nearby", titleHighlights: Self.highlights(of: words, in: title),
                    subtitleHighlights: [], query: word, category: category.name))
        }
        return rows
    }

    /// Adds the nearest street to places that would otherwise look alike in a list, such as the entrances of one station.
    private func distinguished(_ places: [FoundPlace]) throws(PlaceIndexError) -> [FoundPlace] {
        func line(_ place: FoundPlace) -> [String?] {
            [place.name, place.category, place.address.line(without: place.name)]
        }
        let counts = Dictionary(places.map { (line($0), 1) }, uniquingKeysWith: +)
        return try places.map { (place) throws(PlaceIndexError) in
            guard place.kind == .pointOfInterest, place.address.thoroughfare == nil, counts[line(place), default: 0] > 1
            else { return place }
            var place = place
            place.address.thoroughfare = try street(at: place.coordinate)
            return place
        }
    }

    private func suggestion(_ place: FoundPlace, for words: [String], typed: String = "") -> PlaceSuggestion {
        let subtitle = place.address.line(without: place.name)
        // The subtitle has what distinguishes the place from others of its name.
        let town = place.address.locality ?? place.address.administrativeArea ?? place.address.country
        let query = [place.name, town == place.name ? place.address.country : town].compactMap { $0 }
        let alias = place.alternativeName.map { Self.shown($0, typed: typed) }
        let title = [place.name, alias].compactMap { $0 }.joined(separator: " — ")
        var place = place
        place.alternativeName = alias
        return PlaceSuggestion(
            title: title, subtitle: subtitle, titleHighlights: Self.highlights(of: words, in: title),
            subtitleHighlights: Self.highlights(of: words, in: subtitle),
            query: place.kind == .coordinate ? place.name : query.joined(separator: ", "), category: nil, place: place)
    }

    /// Returns another name in a form to show. An index has it folded; the letters that were typed are shown as typed.
    static func shown(_ alias: String, typed: String) -> String {
        let typed = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let folded = Folding.fold(typed)
        let letters = alias.hasPrefix(folded) ? typed + alias.dropFirst(folded.count) : alias
        // Names of three letters are codes of countries and airports.
        if alias.utf8.count <= 3 { return letters.uppercased() }
        return letters.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    /// Returns the ranges of a text where its words begin with the typed words.
    static func highlights(of words: [String], in text: String) -> [PlaceSuggestion.Highlight] {
        var highlights: [PlaceSuggestion.Highlight] = []
        var start = 0
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            let folded = Folding.fold(part)
            if let word = words.filter({ !folded.isEmpty && folded.hasPrefix($0) }).max(by: { $0.count < $1.count }) {
                // The highlight covers as many characters as the typed letters fold from.
                var length = 0
                for count in 1...part.count where Folding.fold(part.prefix(count)).count <= word.count {
                    length = part.prefix(count).utf16.count
                }
                if length > 0 { highlights.append(PlaceSuggestion.Highlight(start: start, length: length)) }
            }
            start += part.utf16.count + 1
        }
        return highlights
    }
}
