import PlaceFixtures
import Testing

@testable import PlaceSearch

/// Names in scripts that the place itself does not use.
@Suite("Search in other scripts", .timeLimit(.minutes(3)))
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
}
