// House numbers, flats and floors in a query.

extension PlaceQuery {
    /// A reading of a query as an address.
    struct Address {
        /// The number of the house; `nil` if it has none.
        var number: HouseNumber?
        /// The words that name the street and the town.
        var street: [String]
    }

    /// The positions of words beside the address of a house.
    struct Details {
        /// The words that name a flat or a floor: "Apt 4", "кв. 5", "3º Esq.".
        var flat: Set<Int> = []
        /// The words after "#", which are the number of a flat or of the house.
        var sign: Set<Int> = []
        /// The words that say that the house has no number: "s/n".
        var none: Set<Int> = []

        mutating func add(_ tokens: TokenDetails, at position: Int, words: Range<Int>) {
            if tokens.flat.contains(position) { flat.formUnion(words) }
            if tokens.sign.contains(position) { sign.formUnion(words) }
            if tokens.none.contains(position) { none.formUnion(words) }
        }
    }

    /// The readings as an address, the likeliest first.
    var addresses: [Address] {
        // A house number is short and may end with a letter; a postal code ("9494", "89-600") is longer.
        let numbers = numbers.compactMap { words, text in
            HouseNumber(text).map { number in
                let isCode = number.digits.utf8.count > 3 || number.key.count(where: \.isNumber) > 4
                return (words: words, number: number, rank: (isCode ? 1 : 0, -words.count))
            }
        }.sorted { $0.rank < $1.rank }
        var result: [Address] = []
        func add(without details: Set<Int>) {
            for (range, number, _) in numbers where details.isDisjoint(with: range) {
                let street = words.indices.filter { !range.contains($0) && !details.contains($0) }.map { words[$0] }
                if !street.isEmpty { result.append(Address(number: number, street: street)) }
            }
        }
        if !details.flat.isEmpty { add(without: details.flat.union(details.none)) }
        add(without: [])
        if !details.sign.isEmpty { add(without: details.sign.union(details.flat)) }
        if !details.none.isEmpty {
            result.append(
                Address(street: words.indices.filter { !details.none.contains($0) }.map { words[$0] }))
        }
        return result
    }

    /// Words before the name of a town, folded.
    static let townWords: Set<String> = [
        "г", "гор", "город", "м", "місто", "с", "село", "смт", "пгт", "пос", "gmina", "gm",
    ]

    // MARK: Tokens

    /// Returns the parts of a text between spaces, commas and semicolons. A house number with spaces is one ("12 - 14", "3 / A",
    /// "1 1/2"), and one beside a word for it is two ("No.12").
    static func tokens(of text: String) -> [String] {
        let parts = text.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == ";" }).flatMap {
            divided(String($0))
        }
        var tokens: [String] = []
        var isOpen = false
        for part in parts {
            guard let last = tokens.last else {
                tokens.append(part)
                continue
            }
            let number = HouseNumber.written(part)
            let isEnd = isHouseNumber(number[...]) || number.unicodeScalars.count == 1 && number.first?.isLetter == true
            let lastNumber = HouseNumber.written(last)
            if isOpen, isEnd {
                tokens[tokens.count - 1] += part
                isOpen = false
            } else if isHouseNumber(lastNumber[...]), let first = number.first, signs.contains(first),
                number.count == 1 || isHouseNumber(number.dropFirst())
                    || number.count == 2 && number.last?.isLetter == true
            {
                tokens[tokens.count - 1] += part
                isOpen = number.count == 1
            } else if let fraction = fractions[number], lastNumber.utf8.allSatisfy({ (48...57).contains($0) }) {
                tokens[tokens.count - 1] += fraction
            } else {
                isOpen =
                    number.count > 1 && number.last.map { signs.contains($0) } ?? false
                    && isHouseNumber(number.dropLast())
                tokens.append(part)
            }
        }
        return tokens
    }

    private static let signs: Set<Character> = ["-", "–", "/", "‑"]
    private static let fractions = ["1/2": "½", "1/4": "¼", "3/4": "¾", "1/3": "⅓", "2/3": "⅔"]

    /// Returns the word for a number and the number in a token such as "No.12", "кв.5" or "D-80331".
    private static func divided(_ token: String) -> [String] {
        guard let digit = token.firstIndex(where: \.isNumber), digit != token.startIndex else { return [token] }
        let (head, number) = (token[..<digit], token[digit...])
        let word = Folding.fold(head)
        if head.last == "-", countries.contains(word), number.utf8.count >= 4, number.allSatisfy(\.isNumber) {
            return [String(number)]
        }
        guard numberWords.contains(word) || flatWords.contains(word) || shortFlatWords.contains(word) || hasPart(word),
            word.unicodeScalars.count > 1 || !head.allSatisfy(\.isLetter)
        else { return [token] }
        return [String(head), String(number)]
    }

    /// The letters before postal codes.
    private static let countries: Set<String> = [
        "a", "b", "ch", "cz", "d", "dk", "e", "es", "ee", "f", "fi", "fin", "fr", "h", "hr", "hu", "i", "it", "l", "lt",
        "lv",
        "md", "n", "nl", "p", "pl", "pt", "ro", "s", "se", "si", "sk", "ua",
    ]

    /// True for a house number that begins with a digit.
    static func isHouseNumber(_ text: Substring) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count <= 12, let first = scalars.first, ("0"..."9").contains(first) else { return false }
        let letters = scalars.filter(\.properties.isAlphabetic)
        return scalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil || ["-", "–", "/"].contains(scalar)
        }
            && (letters.count <= 2 || letters.allSatisfy { ["i", "v"].contains($0) }
                || suffixes.contains(String(String.UnicodeScalarView(letters))))
    }

    /// True for a house number such as "B-12".
    static func isLettered(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLetter, !isHouseNumber(text) else { return false }
        let rest = text.dropFirst().drop { signs.contains($0) }
        return !rest.isEmpty && isHouseNumber(rest) && rest.count <= 6
    }

    /// Words that follow a house number and belong to it.
    static let suffixes: Set<String> = [
        "bis", "ter", "quater", "quinquies", "корп", "корпус", "стр", "строение", "hs", "huis", "rosso", "nero",
    ]
    /// Words before a house number, folded.
    static let numberWords: Set<String> = [
        "no", "nr", "n", "nº", "num", "numero", "number", "nummer", "house", "д", "дом", "буд", "будинок", "hausnr",
        "hausnummer", "č", "c", "cp", "cislo", "nro", "вл", "bldg",
    ]

    /// Returns the word for a number in a token such as "č.p.".
    static func numberWord(in token: String) -> String? {
        let letters = Folding.fold(token.filter(\.isLetter))
        return token.contains(".") && numberWords.contains(letters) && token.allSatisfy { $0.isLetter || $0 == "." }
            ? letters : nil
    }

    /// True for the number of a part of a house, with its letter: "к2" of "16 к2".
    static func isPart(_ word: String) -> Bool {
        let letters = word.prefix { !$0.isNumber }
        return letters.count < word.count && hasPart(String(letters)) && word.count <= 8
    }

    /// True if another number follows a house number, that of a part of the house.
    static func hasPart(_ number: String) -> Bool {
        ["к", "корп", "корпус", "стр", "строение"].contains { number.hasSuffix($0) }
    }

    // MARK: Flats and floors

    /// The positions of tokens beside the address of a house, as ``Details`` has those of words.
    struct TokenDetails {
        private(set) var flat: Set<Int> = []
        private(set) var sign: Set<Int> = []
        private(set) var none: Set<Int> = []

        init(of tokens: [String]) {
            var hasNumber = false
            var position = 0
            /// True if a token is a number or a letter, as flats have.
            func isName(_ index: Int) -> Bool {
                guard tokens.indices.contains(index) else { return false }
                let text = tokens[index].drop { $0 == "#" }.filter { $0 != "." }
                return text.first?.isNumber == true || text.count == 1 && text.first?.isLetter == true
                    || !text.isEmpty && text.allSatisfy { "IV".contains($0) }
            }
            while position < tokens.count {
                let token = tokens[position]
                let word = Folding.fold(token)
                let isBeside =
                    flat.contains(position - 1)
                    || position > 0 && Self.isNumber(tokens[position - 1])
                if isName(position + 1), hasNumber || position == 0,
                    PlaceQuery.flatWords.contains(word) || isBeside && PlaceQuery.shortFlatWords.contains(word)
                {
                    flat.formUnion([position, position + 1])
                    position += 2
                    continue
                }
                if hasNumber, token.first == "#", token.contains(where: \.isNumber), !token.contains("-") {
                    sign.insert(position)
                } else if hasNumber, token == "#", isName(position + 1), !tokens[position + 1].contains("-") {
                    sign.formUnion([position, position + 1])
                } else if isBeside, hasNumber,
                    Self.isFloor(token)
                        || flat.contains(position - 1) && (PlaceQuery.sides.contains(word) || word.count == 1)
                {
                    flat.insert(position)
                } else if hasNumber, isName(position), position + 1 < tokens.count,
                    PlaceQuery.floors.contains(Folding.fold(tokens[position + 1]))
                {
                    flat.formUnion([position, position + 1])
                    position += 1
                } else if position > 0, PlaceQuery.withoutNumber.contains(token.lowercased()) {
                    none.insert(position)
                } else if Self.isNumber(token) {
                    hasNumber = true
                }
                position += 1
            }
        }

        private static func isNumber(_ token: String) -> Bool {
            let number = HouseNumber.written(token)
            return PlaceQuery.isHouseNumber(number.last == "." ? number.dropLast() : number[...])
        }

        /// True for "3º" and "2ª".
        private static func isFloor(_ token: String) -> Bool {
            let text = token.filter { $0 != "." }
            guard let last = text.last, text.count <= 3 else { return false }
            return "ºª°".contains(last) && text.dropLast().allSatisfy(\.isNumber) && text.count > 1
        }
    }

    /// Words before the number of a flat, floor or staircase, folded.
    private static let flatWords: Set<String> = [
        "apt", "apartment", "flat", "unit", "suite", "ste", "appt", "appartement", "apto", "apartamento", "depto",
        "dpto",
        "departamento", "piso", "puerta", "planta", "escalera", "interno", "interior", "scala", "wohnung", "whg",
        "stiege",
        "etage", "escalier", "bat", "batiment", "andar", "bloco", "mieszkanie", "lok", "lokal", "lote", "emelet",
        "ajto", "кв", "квартира",
        "офис", "офіс", "подъезд", "підʼїзд", "этаж", "поверх", "daire", "kat",
    ]
    /// Words before the number of a flat or staircase directly after that of the house, folded.
    private static let shortFlatWords: Set<String> = [
        "m", "top", "int", "sc", "esc", "pta", "app", "ap", "bte", "bus", "rm", "room", "fl", "floor", "bl",
        "blq", "sala", "em", "byt", "оф", "под", "эт", "пом", "d", "stock", "og", "et", "bloque", "portal", "loja",
    ]
    /// Words after the number of a floor, folded.
    private static let floors: Set<String> = [
        "floor", "stock", "og", "etage", "andar", "piso", "emelet", "em", "piano", "planta",
    ]
    /// Sides of a staircase, folded.
    private static let sides: Set<String> = [
        "esq", "dto", "dir", "izq", "izda", "dcha", "der", "ctro", "centro", "fte", "frente", "links", "rechts",
    ]
    /// Words for a house without a number.
    private static let withoutNumber: Set<String> = ["s/n", "s/nº", "s/n.", "б/н", "snc", "s.n.c.", "bb", "b.b."]
}
