import Testing

@testable import Localization

@Suite("Texts in the user's language")
struct CatalogueTests {
    @Test("the first variable that is set decides, as in the C library")
    func environment() {
        func language(_ variables: [String: String]) -> Catalogue.Language { .of { variables[$0] } }
        #expect(language([:]) == .english)
        #expect(language(["LANG": "de_DE.UTF-8"]) == .german)
        #expect(language(["LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_CH.utf8"]) == .french)
        #expect(language(["LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8", "LC_MESSAGES": "fr_CH.utf8"]) == .english)
        #expect(language(["LANG": "pt_BR.UTF-8", "LC_ALL": ""]) == .portuguese)
        #expect(language(["LANG": "ar_EG.UTF-8@euro"]) == .arabic)
        #expect(language(["LANG": "sv_SE.UTF-8"]) == .english, "a language without a catalogue")
        #expect(language(["LANG": "ja_JP.eucJP"]) == .english, "letters that the terminal does not have")
    }

    @Test("each language has its own texts", arguments: Catalogue.Language.allCases)
    func languages(language: Catalogue.Language) {
        let texts = Catalogue(language)
        #expect((texts.text("Don’t Allow") == "Don’t Allow") == (language == .english))
        #expect(texts.text("Allow {name} to use your location?", ["name": "“X”"]).contains("“X”"))
    }

    @Test("values replace their placeholders, and placeholders in values are left")
    func values() {
        let texts = Catalogue(.german)
        #expect(
            texts.text("user {user}, session {session}", ["user": "{session}", "session": "2"])
                == "Benutzer {session}, Sitzung 2")
        #expect(texts.text("Not in the catalogue: {a} {b", ["a": "1"]) == "Not in the catalogue: 1 {b")
        #expect(texts.text("user {user}") == "Benutzer {user}", "a value that is missing is seen")
    }
}
