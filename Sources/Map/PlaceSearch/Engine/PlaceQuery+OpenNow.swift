extension PlaceQuery {
    /// Removes the words that require places to be open now: "pharmacy open now", "open pharmacy", "Bäckerei jetzt geöffnet".
    ///
    /// - Returns: The rest of the text, or `nil` if the text does not ask for it. A single word such as "open" does so only
    ///   beside a category: "Open Market" is a name.
    static func withoutOpenNow(_ text: String) -> String? {
        let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumLength)))
        let tokens = text.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == ";" })
        let words = tokens.map { Folding.words(Folding.fold($0)).joined(separator: " ") }
        for phrase in openNow where words.count >= phrase.count {
            for start in 0...(words.count - phrase.count) where Array(words[start..<(start + phrase.count)]) == phrase {
                let rest = (tokens[..<start] + tokens[(start + phrase.count)...]).joined(separator: " ")
                guard phrase.count == 1 else { return rest }
                let query = PlaceQuery(rest, isTyping: false)
                if !query.words.isEmpty, !PlaceCategory.meant(by: query.key).isEmpty { return rest }
            }
        }
        return nil
    }

    private static let openNow: [[String]] = [
        "open now", "now open", "jetzt geöffnet", "jetzt offen", "geöffnet", "geöffnete", "offen", "offene",
        "ouvert maintenant", "ouverte maintenant",
        "ouvert", "ouverte", "abierto ahora", "abierta ahora", "abierto", "abierta", "aperto ora", "aperta ora",
        "aperto",
        "aperta", "avoinna nyt", "avoinna", "öppet nu", "öppet", "open",
    ].map { Folding.words(Folding.fold($0)) }.sorted { $0.count > $1.count }
}
