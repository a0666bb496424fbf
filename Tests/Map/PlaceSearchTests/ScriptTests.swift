import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

/// Names in scripts that the place itself does not use.
@Suite("Search in other scripts", .timeLimit(.minutes(10)))
struct ScriptTests {
    /// Cities as people in other countries write them, mostly neighbours. Written before it was tried.
    private static let cities = """
        Vienna: Вена, Відень, Βιέννη, 维也纳, ウィーン, فيينا
        New York City: นิวยอร์ก, 纽约, 뉴욕, Нью-Йорк, न्यूयॉर्क
        Tokyo: โตเกียว, 도쿄, Токио, 东京
        Seoul: 首尔, ソウル, Сеул, โซล
        Beijing: Пекин, 베이징, ปักกิ่ง, Бээжин
        Bangkok: 曼谷, バンコク, បាងកក, 방콕
        Hanoi: ฮานอย, ハノイ, 하노이
        Phnom Penh: พนมเปญ, 金边
        Vientiane: เวียงจันทน์, 万象
        Yangon: ย่างกุ้ง, 仰光
        Singapore: 新加坡, สิงคโปร์, シンガポール
        Taipei: Тайбэй, 타이베이, ไทเป
        Ulan Bator: Улан-Батор, 乌兰巴托, 울란바토르
        Delhi: دہلی, দিল্লি, 德里
        Dhaka: ढाका, 达卡
        Kathmandu: কাঠমান্ডু, काठमांडू, 加德满都
        Colombo: கொழும்பு, कोलंबो
        Tehran: Тегеран, Թեհրան, תהרן
        Baghdad: Bağdat, בגדד, Багдад
        Jerusalem: القدس, ירושלים, Ιερουσαλήμ
        Cairo: קהיר, Κάιρο, Kahire
        Athens: Атина, Atina, Афины, أثينا
        Sofia: Σόφια, Sofya, София
        Istanbul: Стамбул, Κωνσταντινούπολη, სტამბოლი, Ստամբուլ, إسطنبول
        Tbilisi: Թբիլիսի, Тбилиси, Tiflis
        Yerevan: ერევანი, Ереван, Erivan
        Warsaw: Варшава, Варшава, Varšava
        Vilnius: Вильнюс, Вільнюс, Wilno
        Helsinki: Хельсинки, 赫尔辛基, ヘルシンキ
        Moscow: 莫斯科, モスクワ, მოსკოვი, Μόσχα
        Munich: Мюнхен, Monaco di Baviera, 慕尼黑, ミュンヘン
        Algiers: אלג'יר, Αλγέρι
        Addis Ababa: أديس أبابا, Аддис-Абеба
        """.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }

    @Test("cities are found in the scripts of their neighbours, after Enter and while typing", arguments: cities)
    func neighbours(row: [String]) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        for name in row[1].split(separator: ", ") {
            let found = try searcher.search(String(name), limit: 3).map(\.name)
            #expect(found.first == row[0], "\(name): \(found)")
            let suggested = try searcher.suggestions(for: String(name), limit: 3).map { $0.place?.name }
            #expect(suggested.contains(row[0]), "\(name): \(suggested)")
        }
    }

    @Test(
        "countries are found in the languages of their neighbours, and as what locates a town",
        arguments: [
            ("Deutschland", "Germany"), ("Allemagne", "Germany"), ("Niemcy", "Germany"), ("ドイツ", "Germany"),
            ("Япония", "Japan"), ("日本", "Japan"), ("Österreich", "Austria"), ("Rakousko", "Austria"),
            ("Éire", "Ireland"),
            ("Suomi", "Finland"), ("España", "Spain"), ("스페인", "Spain"), ("مصر", "Egypt"), ("Ελλάδα", "Greece"),
            ("ไทย", "Thailand"), ("Україна", "Ukraine"), ("Kreikka", "Greece"), ("Holanda", "The Netherlands"),
        ])
    func countries(typed: String, country: String) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let found = try searcher.search(typed, limit: 3)
        #expect(found.first?.name == country && found.first?.kind == .country, "\(found.map(\.name))")
    }

    @Test("a country's name in another language locates a town")
    func inCountry() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let found = try searcher.search("Freiburg, Deutschland", limit: 3)
        #expect(found.first?.address.isoCountryCode == "DE", "\(found.map(\.name))")
        #expect(try searcher.search("Neustadt, Österreich", limit: 1).first?.address.isoCountryCode == "AT")
    }

    @Test(
        "lakes and seas that the map labels are found, in the languages of its labels",
        arguments: [
            ("Lake Victoria", "Lake Victoria"), ("Bodensee", "Bodensee"), ("Lake Constance", "Bodensee"),
            ("Ladogasee", "Lake Ladoga"), ("Baltic Sea", "Baltic Sea"), ("Ostsee", "Baltic Sea"),
            ("mer Baltique", "Baltic Sea"), ("地中海", "Mediterranean Sea"), ("Océano Pacífico", "Pacific Ocean"),
            ("Lake Michigan", "Lake Michigan"), ("Balaton", "Lake Balaton"),
        ])
    func waters(typed: String, name: String) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let found = try searcher.search(typed, limit: 3)
        #expect(found.first?.name == name && found.first?.bounds != nil, "\(found.map(\.name))")
        let suggested = try searcher.suggestions(for: typed, limit: 3).compactMap(\.place?.name)
        #expect(suggested.contains(name), "\(suggested)")
    }

    /// Shibuya and Seoul, as OpenStreetMap has them: the station without the word, and all around it with it.
    private static let stations = Task {
        func spot(_ number: Int, _ longitude: Double, _ latitude: Double, _ tags: [String: String]) -> String {
            Written.point("n\(number)", longitude, latitude, tags)
        }
        let written = try Written.index(of: [
            spot(
                1, 139.7016, 35.6580,
                ["railway": "station", "name": "渋谷", "name:en": "Shibuya", "name:ja-Hira": "しぶや", "name:ko": "시부야"]),
            spot(
                2, 139.7008, 35.6595, ["railway": "subway_entrance", "name": "渋谷駅 A1", "name:en": "Shibuya Station A1"]),
            spot(3, 139.7010, 35.6593, ["highway": "bus_stop", "name": "渋谷駅", "name:en": "Shibuya Station"]),
            spot(
                4, 139.7012, 35.6592, ["amenity": "police", "name": "渋谷駅前交番", "name:en": "Shibuya Station Police Box"]),
            spot(
                5, 139.7011, 35.6594,
                ["amenity": "post_office", "name": "渋谷駅前郵便局", "name:en": "Shibuya Station Post Office"]),
            spot(6, 139.7030, 35.6600, ["amenity": "cafe", "name": "渋谷珈琲"]),
            spot(7, 139.6990, 35.6620, ["leisure": "park", "name": "宮下公園"]),
            spot(8, 126.9707, 37.5547, ["railway": "station", "name": "서울", "name:en": "Seoul", "name:zh": "首尔"]),
            spot(9, 126.9720, 37.5560, ["highway": "bus_stop", "name": "서울역", "name:en": "Seoul Station"]),
        ])
        return (written.directory, try PlaceSearcher(paths: [written.path, ExtractIndex.world]))
    }

    @Test(
        "the name of a station with the word for it leads to the station, not to what lies around it",
        arguments: [
            ("渋谷駅", "渋谷"), ("Shibuya station", "渋谷"), ("shibuya eki", "渋谷"), ("しぶやえき", "渋谷"), ("시부야역", "渋谷"),
            ("Station Shibuya", "渋谷"), ("서울역", "서울"), ("Seoul Station", "서울"), ("首尔站", "서울"), ("宮下公園", "宮下公園"),
            ("渋谷駅前郵便局", "渋谷駅前郵便局"), ("渋谷駅 A1", "渋谷駅 A1"),
        ])
    func stations(typed: String, name: String) async throws {
        let searcher = try await Self.stations.value.1
        let here = Coordinate(
            latitude: name == "서울" ? 37.556 : 35.6594, longitude: name == "서울" ? 126.972 : 139.7010)
        let found = try searcher.search(typed, near: here)
        #expect(found.first?.name == name, "\(found.map(\.name))")
        let suggested = try searcher.suggestions(for: typed, near: here, limit: 5).compactMap(\.place?.name)
        #expect(suggested.prefix(3).contains(name), "\(suggested)")
    }

    @Test("コーヒー is a category")
    func coffee() async throws {
        let searcher = try await Self.stations.value.1
        let here = Coordinate(latitude: 35.6594, longitude: 139.7010)
        #expect(try searcher.search("コーヒー", near: here).first?.name == "渋谷珈琲")
    }
}
