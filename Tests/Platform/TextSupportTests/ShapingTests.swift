import Testing

@testable import TextSupport

@Suite("Invisible characters", .timeLimit(.minutes(10)))
struct ShapingTests {
    @Test(
        "characters that words and emoji need are safe",
        arguments: [
            // Persian: I want, houses, with a vowel mark; Urdu; Sorani Kurdish.
            "می\u{200C}خواهم", "خانه\u{200C}ها", "نقشه\u{200C}ی من", "می\u{64E}\u{200C}روم", "خوش\u{200C}نما",
            // Sri Lanka in Sinhala, half forms in Hindi and Marathi, a virama that is shown, Malayalam, Bengali.
            "ශ්\u{200D}රී ලංකාව", "क्\u{200D}ष", "क्\u{200C}ष", "ന്\u{200C}റ", "ক্\u{200C}ষ",
            // A programmer, a family, the rainbow flag, a heart as emoji and as text, a skin colour.
            "👩\u{200D}💻", "👨\u{200D}👩\u{200D}👧", "🏳\u{FE0F}\u{200D}🌈", "❤\u{FE0F}", "❤\u{FE0E}", "👩🏽\u{200D}🚀", "👍🏽",
            "Maps für München", "地図", "Χάρτες", "🇮🇷",
        ])
    func written(text: String) {
        #expect(!text.isUnsafeToShow)
        #expect(text.escapingUnsafe == text)
    }

    @Test(
        "characters that hide text are unsafe",
        arguments: [
            // Between letters of scripts that do not need them, at the edges, and twice.
            "Ma\u{200C}ps", "Ma\u{200D}ps", "\u{200C}Maps", "Maps\u{200D}", "می\u{200C}\u{200C}خواهم", "می\u{200C}",
            "\u{200C}خواهم", "می\u{200C} خواهم", "می\u{200C}x", "а\u{200D}б", "ग\u{200C}म", "ก\u{E3A}\u{200D}ก",
            // After a letter that connects to nothing anyway, and the joiner where letters connect anyway.
            "کار\u{200C}ها", "بے\u{200C}شک", "ء\u{200C}ب", "می\u{200D}خواهم",
            // A virama of another script.
            "क\u{9CD}\u{200D}ক", "क्\u{200D}ক",
            // No emoji at one side.
            "👩\u{200D}x", "x\u{200D}💻", "👩\u{200D}", "👩\u{200D}\u{200D}💻", "1\u{200D}2", "a\u{FE0F}", "1\u{FE0F}",
            "❤\u{FE0F}\u{FE0F}", "\u{FE0F}",
            // Never.
            "a\u{200B}b", "a\u{2060}b", "a\u{FEFF}b", "a\u{AD}b", "a\u{34F}b", "a\u{FE00}b", "漢\u{E0100}", "🏴\u{E0067}",
            "م\u{61C}ن", "م\u{200F}ن", "a\u{202E}b", "a\u{2066}b", "a\u{3164}b", "a\u{2800}b", "a\u{17B4}b",
            "a\u{180B}b",
            "a\u{1B}[2J", "a\nb", "a\u{2028}b", "a\u{E000}b",
        ])
    func hidden(text: String) {
        #expect(text.isUnsafeToShow)
        let escaped = text.escapingUnsafe
        #expect(!escaped.isUnsafeToShow && escaped != text, "\(escaped)")
    }

    @Test("unsafe characters are escaped, and the others stay")
    func mixed() {
        #expect("می\u{200C}خواهم\u{202E}".escapingUnsafe == "می\u{200C}خواهم\\u{202E}")
        #expect("a\u{200D}👩\u{200D}💻".escapingUnsafe == "a\\u{200D}👩\u{200D}💻")
    }

    /// The ranges of ArabicShaping.txt, for both blocks.
    @Test("Arabic letters connect as the Unicode Character Database says")
    func joiningTypes() {
        let dual =
            "0620 0626 0628 062A-062E 0633-063F 0641-0647 0649-064A 066E-066F 0678-0687 069A-06BF 06C1-06C2 06CC 06CE "
            + "06D0-06D1 06FA-06FC 06FF 0750-0758 075C-076A 076D-0770 0772 0775-0777 077A-077F"
        let right =
            "0622-0625 0627 0629 062F-0632 0648 0671-0673 0675-0677 0688-0699 06C0 06C3-06CB 06CD 06CF 06D2-06D3 06D5 "
            + "06EE-06EF 0759-075B 076B-076C 0771 0773-0774 0778-0779"
        let all = (0x0600...0x08FF).compactMap(Unicode.Scalar.init)
        #expect(Set(all.filter(\.connectsToNext)) == Self.scalars(dual))
        #expect(Set(all.filter(\.connectsToPrevious)) == Self.scalars(dual).union(Self.scalars(right)))
    }

    private static func scalars(_ ranges: String) -> Set<Unicode.Scalar> {
        Set(
            ranges.split(separator: " ").flatMap { range in
                let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 16) }
                return (ends[0]...ends[ends.count - 1]).compactMap(Unicode.Scalar.init)
            })
    }
}
