import LocationModel
import TestSupport
import Testing

@testable import PlaceSearch

/// Streets and house numbers as ten countries write them, in a town of each.
@Suite("Addresses as people write them", .timeLimit(.minutes(10)))
struct AddressTests {
    private static let searcher = Task {
        var lines: [String] = []
        func town(_ name: String, _ latitude: Double, _ longitude: Double, _ streets: [(String, [String])]) {
            let base = lines.count
            lines.append(
                Written.point("n\(base)", longitude, latitude, ["place": "town", "name": name, "population": "9000"]))
            for (index, street) in streets.enumerated() {
                let y = latitude + 0.002 * Double(index + 1)
                lines.append(
                    Written.line(
                        "w\(lines.count)", [(longitude, y), (longitude + 0.002, y)],
                        ["highway": "residential", "name": street.0]))
                for (place, number) in street.1.enumerated() {
                    lines.append(
                        Written.point(
                            "n\(lines.count)", longitude + 0.0003 * Double(place), y,
                            ["addr:housenumber": number, "addr:street": street.0, "addr:city": name]))
                }
            }
        }
        town(
            "Ashby", 52.1, -1.5,
            [
                ("Mill Road", ["14", "22B", "1½"]), ("St. Mary’s Lane", ["3"]), ("North Street", ["8"]),
                ("East Park Drive", ["70"]), ("Saint Peter Court", ["5"]), ("D Street", ["11"]),
                ("King Street", ["11"]),
            ])
        town(
            "Elmont", 40.9, -90.1,
            [
                ("West Lincoln Boulevard", ["412", "414C"]), ("42nd Avenue", ["20-15"]),
                ("US-30 Frontage Road", ["900"]), ("Blud Street", []),
            ])
        town(
            "Beauval", 44.6, 1.2,
            [
                ("Rue Carnot", ["5 bis", "7ter", "9", "11 C"]), ("Avenue du Général Roux", ["6"]),
                ("Boulevard Saint-Marc", ["33"]),
                ("Rue du 4 Septembre", ["12"]), ("Place de l’Étoile", ["2"]), ("Allée des Tilleuls", ["1"]),
            ])
        town(
            "Auental", 48.7, 13.1,
            [
                ("Lindenstraße", ["9", "10a", "21-25"]), ("Franz-Josef-Huber-Straße", ["4"]),
                ("Straße des 3. Oktober", ["77"]),
                ("Marienplatz", ["6"]), ("Sankt-Anna-Gasse", ["2"]), ("Am Bach", ["1/2"]),
                ("Allee der Sieben Alten Linden am Bach", ["3"]),
            ])
        town(
            "Villaluz", 40.2, -3.9,
            [
                ("Calle Ancha", ["12"]), ("Plaza de España", ["1"]), ("Avenida del Sol", ["30"]),
                ("Carrera 15", ["8-24"]),
            ])
        town(
            "Vilarim", 40.3, -8.2,
            [("Rua das Flores", ["15-A", "15"]), ("Praça da República", ["3"]), ("Travessa do Forno", ["2"])])
        town(
            "Borgoverde", 44.1, 10.4,
            [
                ("Via Mazzini", ["7", "7/B"]), ("Piazza Garibaldi", ["4"]), ("Viale Europa", ["18"]),
                ("Corso Cavour", ["9"]), ("Via Anita Neri", ["3"]), ("Via Bruno Neri", ["3"]),
            ])
        town(
            "Лісове", 50.2, 29.1,
            [
                ("вулиця Лесі Українки", ["12-А", "14б", "16к2", "18 корп. 1"]), ("проспект Перемоги", ["40"]),
                ("Садова вулиця", ["3а"]),
            ])
        town("Полевск", 55.2, 36.1, [("улица Мира", ["8", "10Б"]), ("Ленинский проспект", ["25"])])
        town("Nowina", 51.2, 20.1, [("Długa", ["7"]), ("Aleja Wolności", ["15"]), ("Plac Zamkowy", ["2"])])
        town("Kisfalu", 47.2, 19.9, [("Kossuth Lajos utca", ["31", "40-42"]), ("Deák tér", ["5"])])
        town("Lhotka", 49.8, 14.9, [("Náměstí 28. října", ["1204/6"]), ("Dlouhá", ["331/12"])])
        town("Waterdam", 52.4, 5.1, [("Kerkstraat", ["17-2"]), ("Sint Jansplein", ["8"])])
        let written = try Written.index(of: lines)
        return (written.directory, try PlaceSearcher(paths: [written.path]))
    }

    private func first(_ query: String) async throws -> String? {
        try await Self.searcher.value.1.search(query).first.map {
            [$0.address.thoroughfare, $0.address.subThoroughfare].compactMap(\.self).joined(separator: ", ")
        }
    }

    @Test(
        "house numbers with letters, words, fractions and ranges are found, with and without the space",
        arguments: [
            ("Mill Road 22b", "Mill Road, 22B"), ("22-B Mill Road", "Mill Road, 22B"),
            ("22 B Mill Road, Ashby", "Mill Road, 22B"),
            ("1½ Mill Road", "Mill Road, 1½"), ("1 ½ Mill Road", "Mill Road, 1½"), ("11 D Street", "D Street, 11"),
            ("5 bis rue Carnot", "Rue Carnot, 5 bis"), ("5bis rue Carnot", "Rue Carnot, 5 bis"),
            ("7 ter rue Carnot", "Rue Carnot, 7ter"),
            ("11c rue Carnot", "Rue Carnot, 11 C"), ("Lindenstraße 10 A", "Lindenstraße, 10a"),
            ("Am Bach 1/2", "Am Bach, 1/2"),
            ("Rua das Flores 15a", "Rua das Flores, 15-A"), ("Rua das Flores, nº 15", "Rua das Flores, 15"),
            ("Via Mazzini 7b", "Via Mazzini, 7/B"), ("Via Mazzini, 7/B", "Via Mazzini, 7/B"),
            ("Лесі Українки 12а", "вулиця Лесі Українки, 12-А"), ("14Б Лесі Українки", "вулиця Лесі Українки, 14б"),
            ("Лесі Українки 16 к2", "вулиця Лесі Українки, 16к2"),
            ("Лесі Українки 16 к 2", "вулиця Лесі Українки, 16к2"),
            ("Лесі Українки 18к1", "вулиця Лесі Українки, 18 корп. 1"),
            ("улица Мира, д. 10б", "улица Мира, 10Б"), ("Kossuth Lajos utca 40", "Kossuth Lajos utca, 40-42"),
            ("Kossuth Lajos utca 31.", "Kossuth Lajos utca, 31"), ("Dlouhá 12", "Dlouhá, 331/12"),
            ("Dlouhá 331", "Dlouhá, 331/12"),
            ("Náměstí 28. října 6", "Náměstí 28. října, 1204/6"), ("Lindenstraße 23", "Lindenstraße, 21-25"),
            ("20-15 42nd Ave", "42nd Avenue, 20-15"), ("20-15 42 Av Elmont", "42nd Avenue, 20-15"),
            ("Carrera 15 # 8-24", "Carrera 15, 8-24"),
            ("12 rue du 4 septembre", "Rue du 4 Septembre, 12"),
        ])
    func numbers(query: String, address: String) async throws { #expect(try await first(query) == address) }

    @Test("an unknown letter finds the number, and an unknown number the street")
    func unknownNumbers() async throws {
        #expect(try await first("14x Mill Road") == "Mill Road, 14")
        #expect(try await first("Rue Carnot 9 quater") == "Rue Carnot, 9")
        #expect(try await first("99 Mill Road") == "Mill Road")
        #expect(try await first("Лесі Українки 77-в") == "вулиця Лесі Українки")
    }

    @Test(
        "types of streets and compass points are found by their short forms, before a town, too",
        arguments: [
            ("Mill Rd", "Mill Road"), ("14 Mill Rd Ashby", "Mill Road, 14"), ("8 North St, Ashby", "North Street, 8"),
            ("8 N St Ashby", "North Street, 8"), ("70 E Park Dr", "East Park Drive, 70"),
            ("412 W Lincoln Blvd Elmont", "West Lincoln Boulevard, 412"),
            ("w lincoln blvd", "West Lincoln Boulevard"), ("3 St Marys Ln", "St. Mary’s Lane, 3"),
            ("3 Saint Mary's Lane", "St. Mary’s Lane, 3"),
            ("5 St Peter Ct", "Saint Peter Court, 5"), ("900 US30 Frontage Rd", "US-30 Frontage Road, 900"),
            ("6 av. du Général Roux", "Avenue du Général Roux, 6"),
            ("6 av du gal roux beauval", "Avenue du Général Roux, 6"),
            ("33 bd St Marc", "Boulevard Saint-Marc, 33"), ("2 pl. de l'étoile, Beauval", "Place de l’Étoile, 2"),
            ("9 r. Carnot", "Rue Carnot, 9"), ("Lindenstr. 9", "Lindenstraße, 9"), ("Linden Str. 9", "Lindenstraße, 9"),
            ("Huber Str. 4 Auental", "Franz-Josef-Huber-Straße, 4"),
            ("Str. d. 3. Oktober 77", "Straße des 3. Oktober, 77"),
            ("Marienpl. 6", "Marienplatz, 6"), ("St.-Anna-Gasse 2", "Sankt-Anna-Gasse, 2"),
            ("C/ Ancha 12", "Calle Ancha, 12"), ("C. Ancha, 12, Villaluz", "Calle Ancha, 12"),
            ("Pza. de España 1", "Plaza de España, 1"),
            ("Avda. del Sol 30 Villaluz", "Avenida del Sol, 30"), ("R. das Flores 15", "Rua das Flores, 15"),
            ("Pç. da República 3", "Praça da República, 3"), ("Tv. do Forno 2", "Travessa do Forno, 2"),
            ("V. Mazzini 7", "Via Mazzini, 7"), ("P.za Garibaldi 4", "Piazza Garibaldi, 4"),
            ("V.le Europa 18", "Viale Europa, 18"),
            ("C.so Cavour 9 Borgoverde", "Corso Cavour, 9"), ("вул. Садова 3а", "Садова вулиця, 3а"),
            ("пр-т Перемоги, 40", "проспект Перемоги, 40"), ("ул. Мира 8", "улица Мира, 8"),
            ("Ленинский пр-т 25", "Ленинский проспект, 25"),
            ("ul. Długa 7", "Długa, 7"), ("al. Wolności 15 Nowina", "Aleja Wolności, 15"),
            ("pl. Zamkowy 2", "Plac Zamkowy, 2"),
            ("Kossuth Lajos u. 31", "Kossuth Lajos utca, 31"), ("nám. 28. října 6", "Náměstí 28. října, 1204/6"),
            ("Kerkstr. 17", "Kerkstraat, 17-2"), ("St. Jansplein 8", "Sint Jansplein, 8"),
        ])
    func shortForms(query: String, address: String) async throws { #expect(try await first(query) == address) }

    @Test(
        "a query is read as a house, a street and what is beside it",
        arguments: [
            ("3 / A Via Roma", "3a via roma"), ("48 - 50 High St", "48-50 high st"), ("No.12 High St", "12 high st"),
            ("ул.Мира,д.8,кв.5", "8 ул мира"), ("12 1/2 Elm St", "12½ elm st"), ("Elm St 5, Apt 4B", "5 elm st"),
            ("Calle Sol 4, 2º B", "4 calle sol"), ("Calle Sol s/n", "- calle sol"), ("U Kostela č.p. 7", "7 u kostela"),
            ("D-80331 Ort, Weg 5", "5 80331 ort weg"), ("Fő u. 5. II. em. 4", "5 fo u"), ("B-12 Elm St", "12b elm st"),
        ])
    func readings(query: String, reading: String) {
        let addresses = PlaceQuery(query, isTyping: false).addresses
        let texts = addresses.map { "\($0.number?.key ?? "-") \($0.street.joined(separator: " "))" }
        #expect(texts.first == reading, "\(texts)")
    }

    @Test("each reading of an address gets its share of the queries, however many the readings before took")
    func budgetOfReadings() async throws {
        let (directory, searcher) = try await Self.searcher.value
        defer { withExtendedLifetime((directory, searcher)) {} }
        let engine = SearchEngine(indexes: [try PlaceIndex(path: directory.path + "/test.places")])
        engine.begin()
        // One is left, for the name of the whole text; and names of seven words are not corrected.
        engine.budget = 1
        let found = try engine.interpretations(
            PlaceQuery("Allee der Sieben Alten Linden am Bach 3", isTyping: false), SearchEngine.Scope(center: nil))
        #expect(found.contains { $0.house != nil })
    }

    @Test("a single letter is the initial of a first name, and of no other name")
    func initials() async throws {
        for (query, address) in [
            ("Via A. Neri 3", "Via Anita Neri, 3"), ("V. B. Neri 3", "Via Bruno Neri, 3"),
            ("3 via b neri", "Via Bruno Neri, 3"),
        ] { #expect(try await first(query) == address, "\(query)") }
        #expect(try await first("Via C. Neri 3")?.hasSuffix("Neri, 3") != true)
    }

    @Test("a short form does not count as misspelt, whatever word is similar")
    func shortFormBesideSlip() async throws {
        #expect(try await first("412 W Lincon Blvd") == "West Lincoln Boulevard, 412")
    }

    @Test("street types and articles alone name no street")
    func typesAlone() async throws {
        #expect(try await first("14 The Road")?.hasSuffix(", 14") != true)
        #expect(try await first("14 of the Rd")?.hasSuffix(", 14") != true)
    }

    @Test("a word that is a name stays one: streets are not short forms of each other")
    func names() async throws {
        // "North St" is no "Saint", "D" no "der", and "King St" not "D Street".
        #expect(try await first("D Street") == "D Street")
        #expect(try await first("11 King St") == "King Street, 11")
        #expect(try await first("North Street 8") == "North Street, 8")
        #expect(try await first("Saint Peter Court 5") == "Saint Peter Court, 5")
    }

    @Test("house numbers are compared without regard to their signs")
    func mismatches() throws {
        for (wanted, known, mismatch) in [
            ("12a", "12 A", 0), ("12-a", "12a", 0), ("12bis", "12 bis", 0), ("16к2", "16 к 2", 0),
            ("48-50", "48–50", 0),
            ("48", "48-50", 1), ("50", "48-50", 1), ("2", "1307/2", 1), ("22", "20-30", 2), ("12x", "12", 3),
            ("12", "12b", 4),
            ("12a", "12b", 5), ("121", "12 1", nil), ("21", "20-30", nil), ("48", "480", nil), ("5", "20-15", nil),
            ("14", "14-45", 4), ("12a", "12а", 0), ("12½", "12 1/2", 0), ("١٢", "12", 0), ("12r", "12 rosso", 0),
            ("b-5", "B5", 0), ("nr. 5", "5", 0), ("5", "B-5", 4), ("3iii", "3-III", 0),
        ] as [(String, String, Int?)] {
            let (one, two) = (try #require(HouseNumber(wanted)), try #require(HouseNumber(known)))
            #expect(one.mismatch(with: two) == mismatch, "\(wanted) \(known)")
        }
        #expect(HouseNumber("") == nil && HouseNumber("a") == nil)
        #expect(HouseNumber(String(repeating: "9", count: 1000))?.mismatch(with: try #require(HouseNumber("1"))) == nil)
    }

    @Test("every line of the table of street words has a word and a short form")
    func table() {
        for (short, word) in [("rd", "road"), ("av", "avenida"), ("пр", "проспект"), ("ul", "ulica"), ("st", "saint")] {
            #expect(StreetWords.meaning(of: short)?.words.contains(word) == true, "\(short)")
            #expect(StreetWords.meaning(of: word)?.words.contains(short) == true, "\(word)")
        }
        #expect(StreetWords.meaning(of: "ul")?.isOptional == true && StreetWords.meaning(of: "rd")?.isOptional == false)
        #expect(StreetWords.shortForm(in: "P.za") == "pza" && StreetWords.shortForm(in: "Jean-Luc") == nil)
        #expect(StreetWords.shortForm(in: "S.P.") == nil && StreetWords.shortForm(in: "б-р") == "бр")
        #expect(StreetWords.meaning(of: "la")?.isOptional == true && StreetWords.meaning(of: "n")?.isOptional == false)
        for (typed, name) in [
            ("20", "xx"), ("venti", "xx"), ("5th", "fifth"), ("42", "42nd"), ("1", "1º"), ("iv", "4"),
        ] {
            #expect(StreetWords.meaning(of: typed)?.words.contains(name) == true, "\(typed)")
        }
        let elements = StreetWords.elements(of: ["dr", "martin", "luther", "king", "blvd"])
        #expect(
            elements?.map(\.typed) == ["dr", "martin luther king", "blvd"]
                && elements?[1].others.contains("mlk") == true)
        #expect(StreetWords.elements(of: ["red", "robin"]) == nil)
    }
}
