import FoundationEssentials

/// Translates pages without a script, with the catalogues beside them.
package enum PageTranslation {
    /// Returns an HTML page in the first of the browser's languages that has a catalogue in `directory`. A text between two tags is
    /// a key of the catalogue; one that the catalogue lacks stays in English.
    ///
    /// - Parameter accepted: The header `Accept-Language`, which browsers send in the order of preference.
    package static func translated(_ html: String, to accepted: String?, from directory: String) -> String {
        for language in languages(accepted) {
            if language == "en" { break }
            guard let file = FileManager.default.contents(atPath: "\(directory)/texts.\(language).json"),
                let texts = try? JSONDecoder().decode([String: Text].self, from: file)
            else { continue }
            let parts = html.replacing("<html lang=\"en\"", with: "<html lang=\"\(language)\"", maxReplacements: 1)
                .split(separator: ">", omittingEmptySubsequences: false)
            return parts.map { part in
                let text = part.prefix { $0 != "<" }
                guard let translation = texts[String(text)]?.words else { return String(part) }
                return translation + part[text.endIndex...]
            }.joined(separator: ">")
        }
        return html
    }

    /// The codes of the languages in the header, without their countries.
    private static func languages(_ accepted: String?) -> [String] {
        (accepted ?? "").split(separator: ",").prefix(20).compactMap { range in
            let code = range.drop { $0 == " " }.prefix { $0.isASCII && $0.isLetter }.lowercased()
            return (2...3).contains(code.count) ? code : nil
        }
    }

    /// A text; `nil` for one with plural forms.
    private struct Text: Decodable {
        let words: String?

        init(from decoder: any Decoder) throws {
            words = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}
