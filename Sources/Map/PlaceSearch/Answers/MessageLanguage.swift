import Glibc

/// The user's language.
public enum MessageLanguage {
    /// The language of messages in the environment's locale, as a code of ISO 639-1 or 639-3; `nil` for the C locale.
    public static let code: String? = {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
            .first { !$0.isEmpty }
        let code = locale?.prefix { $0.isLetter }.lowercased()
        return code.flatMap { (2...3).contains($0.utf8.count) ? $0 : nil }
    }()
}
