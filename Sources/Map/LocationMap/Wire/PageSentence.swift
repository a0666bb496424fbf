import TextSupport

/// A sentence for the user, which pages show in their language.
package struct PageSentence: Hashable, Sendable, Encodable, CustomStringConvertible {
    /// The file or region that it is about; `nil` if the sentence names it.
    package var subject: String?
    /// The sentence in English as the catalogue has it, with `{name}` in place of values. Pages show one that the catalogue lacks
    /// as it is.
    package var text: String
    /// The values by their names.
    package var values: [String: String]
    /// The end of a sentence with the purpose of a command, such as "To find out why, run:"; `nil` without one.
    package var lead: String?
    /// The command that helps; `nil` if there is none.
    package var command: String?

    package init(
        about subject: String? = nil, _ text: String, _ values: [String: String] = [:], lead: String? = nil,
        command: String? = nil
    ) {
        (self.subject, self.text, self.values) = (subject, text, values)
        (self.lead, self.command) = (lead, command)
    }

    /// The sentence in English.
    package var description: String {
        [subject.map { "\($0):" }, text.filled(with: values), lead, command].compactMap(\.self).joined(separator: " ")
    }
}
