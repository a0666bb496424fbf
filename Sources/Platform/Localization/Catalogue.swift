import CCatalogue
import FoundationEssentials
import Glibc
import TextSupport

/// The texts of one language, each under its English sentence.
///
/// The files in the directory `Catalogue` are those of the map's page as well. They are part of the program, so that a prompt
/// needs no file. Texts with plural forms are for the page only.
package struct Catalogue: Sendable {
    /// The languages, as their codes of ISO 639-1.
    package enum Language: String, Sendable, CaseIterable {
        case english = "en"
        case german = "de"
        case french = "fr"
        case spanish = "es"
        case portuguese = "pt"
        case japanese = "ja"
        case arabic = "ar"

        /// The language of messages in the environment's locale, from the variables in the C library's order. English if the
        /// locale is another one, or not in UTF-8.
        package static func of(_ environment: (String) -> String?) -> Language {
            let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
            let name = locale.lowercased()
            guard name.contains("utf-8") || name.contains("utf8") else { return .english }
            return Language(rawValue: String(name.prefix { $0 != "_" && $0 != "." && $0 != "@" })) ?? .english
        }
    }

    private let texts: [String: String]

    package init(_ language: Language) {
        // A file that is not a catalogue cannot be built in: a test reads each.
        let file = locationd_catalogue(language.rawValue).map { Data(String(cString: $0).utf8) } ?? Data()
        let entries = (try? JSONDecoder().decode([String: Entry].self, from: file)) ?? [:]
        texts = entries.compactMapValues(\.text)
    }

    /// The catalogue of the environment's language.
    package static let current = Catalogue(.of { name in getenv(name).map { String(cString: $0) } })

    /// Returns the translation of an English sentence with values in place of `{name}`; the sentence itself if the catalogue
    /// lacks it. Values are not searched for names.
    package func text(_ sentence: String, _ values: [String: String] = [:]) -> String {
        (texts[sentence] ?? sentence).filled(with: values)
    }

    /// A text; `nil` for one with plural forms, which is an object.
    private struct Entry: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}
