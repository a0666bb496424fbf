import LocationModel

// Results and suggestions.

extension SearchEngine {
    func search(
        _ text: String, near: Coordinate?, visible: PlaceBounds?, kinds: Set<FoundPlace.Kind>?, limit: Int
    ) throws(PlaceIndexError) -> [FoundPlace] {
        let scope = Scope(center: near ?? visible?.center, visible: visible, kinds: kinds)
        if let position = try position(text, isTyping: false, scope, near: near) { return [position] }
        let query = PlaceQuery(text, isTyping: false)
        var found = try interpretations(query, scope)
        if kinds?.contains(.pointOfInterest) ?? true {
            let categories = categories(query, among: found).map(\.name)
            if !categories.isEmpty {
                // Places of a category come by distance, before others whose name matches.
                let best = found.map(\.score).max() ?? 0
                let spots =
                    if let center = scope.center {
                        try spots(categories, around: center, radius: 50_000, count: limit)
                    } else {
                        try spotsOfRegions(categories, count: limit)
                    }
                found += spots.map { item in
                    var item = item
                    item.score += best + 10
                    return item
                }
            }
        }
        if query.isNearby, let center = scope.center {
            found.removeAll { MeanSphere.distance(from: center.degrees, to: $0.position) > 50_000 }
        }
        return try ranked(found, limit: limit).map { (item) throws(PlaceIndexError) in
            try place(item, distancesFrom: near)
        }
    }

    /// Returns the categories that the whole text means: by a word for them, or by the beginning of such a word if no
    /// place has that name.
    private func categories(_ query: PlaceQuery, among found: [Found]) -> [PlaceCategory] {
        let exact = PlaceCategory.meant(by: query.key)
        guard exact.isEmpty, query.key.utf8.count >= 4 else { return exact }
        guard !found.contains(where: { $0.match == .exact }) else { return [] }
        let beginning = PlaceCategory.beginning(with: query.key).first
        // Accepts "coffe" but not "muse".
        guard let beginning, beginning.word.utf8.count <= query.key.utf8.count + 2 else { return [] }
        return PlaceCategory.meant(by: beginning.word)
    }

    func places(
        of categories: [String], around center: Coordinate, radius: Double, limit: Int, distancesFrom: Coordinate?
    ) throws(PlaceIndexError) -> [FoundPlace] {
        let found = try spots(categories, around: center, radius: radius, count: limit)
        return try ranked(found, limit: limit).map { (item) throws(PlaceIndexError) in
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
            item.score = 5 - Double(rank) * 0.01
            return item
        }
    }

    /// Returns the places of categories in all regions, those nearest to the centre of each first: for a search without a
    /// coordinate.
    private func spotsOfRegions(_ categories: [String], count: Int) throws(PlaceIndexError) -> [Found] {
        var found: [Found] = []
        for (number, index) in indexes.enumerated() {
            let (center, radius) = index.extent
            // The world is not a region.
            guard radius < 3_000_000 else { continue }
            found += try spots(categories, around: center, radius: radius, count: count, in: number..<number + 1)
        }
        return found
    }

    /// Returns the place at a coordinate or plus code in the query. A short code is relative to the place beside it, or
    /// else to the coordinate of the search.
    private func position(
        _ text: String, isTyping: Bool, _ scope: Scope, near: Coordinate?
    ) throws(PlaceIndexError) -> FoundPlace? {
        if let (code, rest) = PlusCode.first(in: text) {
            var reference = scope.center
            if !code.isFull, !rest.isEmpty {
                let query = PlaceQuery(rest, isTyping: isTyping)
                let anchor = try anchor(query.words, isPrefix: query.isPrefix, scope)
                reference = anchor.map {
                    Coordinate(clampingLatitude: $0.position.latitude, wrappingLongitude: $0.position.longitude)
                }
            }
            if let full = code.isFull ? code : reference.map({ code.full(near: $0) }), let area = full.area {
                var found = try place(at: area.center, near: near)
                found.name = full.text
                // A code of ten digits is as small as a house.
                if area.north - area.south > 0.001 { found.bounds = [area.west, area.south, area.east, area.north] }
                return found
            }
        }
        return try CoordinateText.coordinate(text).map { (coordinate) throws(PlaceIndexError) in
            try place(at: coordinate, near: near)
        }
    }

    private func place(at coordinate: Coordinate, near: Coordinate?) throws(PlaceIndexError) -> FoundPlace {
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
        let scope = Scope(center: near ?? visible?.center, visible: visible, isTyping: true)
        if let position = try position(text, isTyping: true, scope, near: near) {
            return [suggestion(position, for: [])]
        }
        let query = PlaceQuery(text, isTyping: true)
        guard !query.words.isEmpty else { return [] }
        let found = ranked(try interpretations(query, scope), limit: limit)
        var result = try found.map { (item) throws(PlaceIndexError) in
            suggestion(try place(item, distancesFrom: near), for: query.words)
        }
        guard scope.center != nil else { return result }
        let isExact = !PlaceCategory.meant(by: query.key).isEmpty
        var rows: [PlaceSuggestion] = []
        // A single letter begins too many words.
        for (word, category) in PlaceCategory.beginning(with: query.key).prefix(query.key.utf8.count < 2 ? 0 : 2) {
            rows.append(
                PlaceSuggestion(
                    title: category.title, subtitle: "Search nearby",
                    titleHighlights: Self.highlights(of: query.words, in: category.title), subtitleHighlights: [],
                    query: word, category: category.name))
        }
        // A complete or nearly complete word for a category counts as its meaning.
        let share = rows.first.map { Double(query.key.utf8.count) / Double(max(1, $0.query.utf8.count)) } ?? 0
        result.insert(contentsOf: rows, at: isExact || share >= 0.6 ? 0 : min(result.count, 3))
        return Array(result.prefix(limit))
    }

    private func suggestion(_ place: FoundPlace, for words: [String]) -> PlaceSuggestion {
        let subtitle = place.address.line(without: place.name)
        // The subtitle has what distinguishes the place from others of its name.
        let town = place.address.locality ?? place.address.administrativeArea ?? place.address.country
        let query = [place.name, town == place.name ? place.address.country : town].compactMap { $0 }
        return PlaceSuggestion(
            title: place.name, subtitle: subtitle, titleHighlights: Self.highlights(of: words, in: place.name),
            subtitleHighlights: Self.highlights(of: words, in: subtitle),
            query: place.kind == .coordinate ? place.name : query.joined(separator: ", "), category: nil, place: place)
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
