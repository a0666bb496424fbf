/// A slip of the fingers that people make while they type.
package enum Slip: String, CaseIterable, Sendable {
    /// A letter is left out.
    case dropped
    /// A letter is typed twice.
    case doubled
    /// Two letters are exchanged.
    case swapped
    /// A space is left out.
    case spaceLost = "space lost"
    /// A space is typed within a word.
    case spaceAdded = "space added"
    /// A space is typed one letter too early or too late.
    case spaceMoved = "space moved"
    /// A letter is typed instead of a space.
    case spaceReplaced = "space replaced"
    /// A letter of a word of three or four letters is left out, beside another word.
    case shortDamaged = "short word damaged"

    /// Returns `name` with the slip at a place chosen by `generator`; `nil` if no place is suitable.
    ///
    /// The first letter of a word stays. Words of less than five letters, where a slip usually makes another word, stay alone.
    package func applied(to name: String, using generator: inout some RandomNumberGenerator) -> String? {
        var letters = Array(name.lowercased())
        let places = letters.indices.filter { isSuitable($0, in: letters) }
        guard let place = places.randomElement(using: &generator) else { return nil }
        switch self {
        case .dropped, .spaceLost, .shortDamaged: letters.remove(at: place)
        case .doubled: letters.insert(letters[place], at: place)
        case .swapped: letters.swapAt(place, place + 1)
        case .spaceAdded: letters.insert(" ", at: place)
        case .spaceMoved: letters.swapAt(place, Bool.random(using: &generator) ? place - 1 : place + 1)
        case .spaceReplaced: letters[place] = "etn".randomElement(using: &generator) ?? "e"
        }
        return String(letters)
    }

    private func isSuitable(_ place: Int, in letters: [Character]) -> Bool {
        let word = Self.word(around: place, in: letters)
        switch self {
        case .spaceLost, .spaceMoved, .spaceReplaced:
            return letters[place] == " " && place > 0 && place + 1 < letters.count && letters[place - 1].isLetter
                && letters[place + 1].isLetter
        case .dropped, .doubled: return word.count >= 5 && place > word.lowerBound
        case .swapped:
            return word.count >= 5 && place > word.lowerBound && place + 1 < word.upperBound
                && letters[place] != letters[place + 1]
        case .spaceAdded: return word.count >= 6 && place >= word.lowerBound + 2 && place <= word.upperBound - 2
        case .shortDamaged:
            return (3...4).contains(word.count) && place > word.lowerBound && word.count + 5 < letters.count
        }
    }

    /// The indices of the word that has the letter at `place`; empty if there is no letter.
    private static func word(around place: Int, in letters: [Character]) -> Range<Int> {
        guard letters[place].isLetter else { return place..<place }
        var (start, end) = (place, place + 1)
        while start > 0, letters[start - 1].isLetter { start -= 1 }
        while end < letters.count, letters[end].isLetter { end += 1 }
        return start..<end
    }
}
