import Testing

@testable import TextSupport

@Suite(.timeLimit(.minutes(10))) struct SpellingCorrectionTests {
    @Test("mistakes are counted as people make them")
    func spelling() {
        func distance(_ a: String, _ b: String, _ limit: Int = 2, isPrefix: Bool = false) -> Int? {
            EditDistance.between(Array(a.unicodeScalars), Array(b.unicodeScalars), limit: limit, isPrefix: isPrefix)
        }
        #expect(distance("londn", "london") == 1)
        #expect(distance("yrok", "york") == 1)
        #expect(distance("berlim", "berlin") == 1)
        #expect(distance("abc", "abc") == 0)
        #expect(distance("abc", "xyz") == nil)
        #expect(distance("lond", "londonderry", 1, isPrefix: true) == 0)
        #expect(distance("lomd", "londonderry", 1, isPrefix: true) == 1)
    }

    @Test(
        "the nearest word is suggested if few letters differ",
        arguments: [
            ("HistoryDay", "HistoryDays"), ("historydays", "HistoryDays"), ("HsitoryDasy", "HistoryDays"),
            ("Hist", nil), ("no", nil), ("bat", "bad"), ("Größee", "Größe"),
        ] as [(String, String?)])
    func suggestion(word: String, expected: String?) {
        #expect(["HistoryDays", "bar", "bad", "Größe", "on"].suggestion(for: word) == expected)
    }
}
