// Three kinds of invisible characters are part of how words and symbols are written, and are safe exactly there, because
// what is shown differs with and without them:
//
// - ZERO WIDTH NON-JOINER between Arabic letters that would connect, as in Persian می‌خواهم, and after the virama of an
//   Indic conjunct; ZERO WIDTH JOINER after such a virama, as in Sinhala ශ්‍රී. These are the contexts A1, A2 and B of
//   UAX #31, 2.3.1, which UTS #39, 3.1.1 requires for names, limited to scripts in which fonts show the difference.
// - Presentation selectors (U+FE0E, U+FE0F) after an emoji, and ZERO WIDTH JOINER between two: the emoji sequences of
//   UTS #51, 1.4.
//
// Anywhere else they would hide between two letters, so that two names look the same.

private let nonJoiner: Unicode.Scalar = "\u{200C}"
private let joiner: Unicode.Scalar = "\u{200D}"
private let presentations: ClosedRange<Unicode.Scalar> = "\u{FE0E}"..."\u{FE0F}"

extension [Unicode.Scalar] {
    /// True if the invisible character at `index` changes the appearance of its neighbours.
    func shapesNeighbours(at index: Int) -> Bool {
        switch self[index] {
        case nonJoiner: breaksConnection(at: index) || followsVirama(at: index)
        case joiner: joinsEmoji(at: index) || followsVirama(at: index)
        case presentations: index > 0 && self[index - 1].isWideEmoji
        default: false
        }
    }

    /// A1: both sides would connect, whatever marks are between.
    private func breaksConnection(at index: Int) -> Bool {
        guard let before = self[..<index].last(where: { !$0.isVisibleMark }),
            let after = self[(index + 1)...].first(where: { !$0.isVisibleMark })
        else { return false }
        return before.connectsToNext && after.connectsToPrevious
    }

    /// A2 and B: after a letter and its virama, before a letter of the same script.
    private func followsVirama(at index: Int) -> Bool {
        guard index > 1, index + 1 < count, self[index - 1].properties.canonicalCombiningClass == .virama,
            let before = self[..<index].last(where: { !$0.isVisibleMark }), let block = before.indicBlock
        else { return false }
        return self[index - 1].indicBlock == block && self[index + 1].indicBlock == block
            && self[index + 1].properties.generalCategory == .otherLetter
    }

    private func joinsEmoji(at index: Int) -> Bool {
        guard index > 0, index + 1 < count, self[index + 1].isWideEmoji else { return false }
        let before = self[index - 1]
        return before.isWideEmoji || before == presentations.upperBound && index > 1 && self[index - 2].isWideEmoji
    }
}

extension Unicode.Scalar {
    /// Digits are emoji, too, but only in sequences that few fonts show.
    fileprivate var isWideEmoji: Bool { value > 0x7F && properties.isEmoji }

    /// A mark that is drawn on the letter before it.
    fileprivate var isVisibleMark: Bool { properties.generalCategory == .nonspacingMark && !isUnsafeToShow }

    /// A number for each of the scripts from Devanagari to Sinhala, which are written with conjuncts.
    fileprivate var indicBlock: UInt32? { (0x0900...0x0DFF).contains(value) ? value >> 7 : nil }

    /// An Arabic letter that connects to the letter after it (Joining_Type Dual_Joining).
    var connectsToNext: Bool { isJoiningLetter && !Self.rightJoining.contains { $0.contains(value) } }

    /// An Arabic letter that connects to the letter before it (Joining_Type Dual_Joining or Right_Joining).
    var connectsToPrevious: Bool { isJoiningLetter }

    /// A letter of the blocks Arabic and Arabic Supplement, which have those of Persian, Urdu, Pashto, Kurdish, Sindhi and
    /// Uyghur; but neither the hamza nor the high hamza, which connect to nothing.
    private var isJoiningLetter: Bool {
        ((0x0600...0x06FF).contains(value) || (0x0750...0x077F).contains(value))
            && properties.generalCategory == .otherLetter && value != 0x0621 && value != 0x0674
    }

    /// Joining_Type Right_Joining in these blocks (ArabicShaping.txt of the Unicode Character Database).
    private static let rightJoining: [ClosedRange<UInt32>] = [
        0x0622...0x0625, 0x0627...0x0627, 0x0629...0x0629, 0x062F...0x0632, 0x0648...0x0648, 0x0671...0x0673,
        0x0675...0x0677, 0x0688...0x0699, 0x06C0...0x06C0, 0x06C3...0x06CB, 0x06CD...0x06CD, 0x06CF...0x06CF,
        0x06D2...0x06D3, 0x06D5...0x06D5, 0x06EE...0x06EF, 0x0759...0x075B, 0x076B...0x076C, 0x0771...0x0771,
        0x0773...0x0774, 0x0778...0x0779,
    ]
}
