/// Puts the path of gpsd's socket into the text of the service's property list, and leaves everything else in it as it is:
/// comments, order, indentation.
///
/// For XML lists that `Configuration` accepts. Whoever writes the result reads it again first: what is odd here (a key
/// spelt with entities, say) shows in that.
package enum PropertyListEdit {
    /// Why a list is not edited, to follow “cannot be edited safely: ”.
    package struct Refusal: Error, Hashable {
        package let reason: String
    }

    /// The list with `Socket` under `GPSD` and neither `Host` nor `Port`.
    package static func settingSocket(_ path: String, in text: String) throws(Refusal) -> String {
        let bytes = Array(text.utf8)
        var tokens = try PropertyListTokens(bytes)
        let root = try tokens.rootDictionary()
        let socket = "<key>Socket</key><string>\(escaped(path))</string>"
        guard let gpsd = root.entries.first(where: { $0.key == "GPSD" }) else {
            return apply([insertion(nested(socket), in: root, of: bytes)], to: bytes)
        }
        guard let dictionary = gpsd.dictionary else { throw Refusal(reason: "GPSD is not a dictionary in it") }
        guard let close = dictionary.close else {
            // <dict/>
            return apply([Edit(range: dictionary.range, text: "<dict>\(socket)</dict>")], to: bytes)
        }
        let old = dictionary.entries.filter { ["Socket", "Host", "Port"].contains($0.key) }
        guard !old.contains(where: \.hasComment) else {
            throw Refusal(reason: "a comment stands between a key and its value under GPSD")
        }
        guard let first = old.first else {
            let inDictionary = PropertyListTokens.Dictionary(
                entries: dictionary.entries, close: close, range: dictionary.range)
            return apply([insertion({ _ in socket }, in: inDictionary, of: bytes)], to: bytes)
        }
        let edits =
            [Edit(range: first.range, text: socket)]
            + old.dropFirst().map { Edit(range: wholeLine($0.range, of: bytes), text: "") }
        return apply(edits, to: bytes)
    }

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    private static func apply(_ edits: [Edit], to bytes: [UInt8]) -> String {
        var result = bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            result.replaceSubrange(edit.range, with: Array(edit.text.utf8))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Puts what `content` gives for an indentation before the end of a dictionary, on lines of its own where the end has one.
    private static func insertion(
        _ content: (String) -> String, in dictionary: PropertyListTokens.Dictionary, of bytes: [UInt8]
    ) -> Edit {
        guard let close = dictionary.close else { return Edit(range: dictionary.range, text: content("")) }
        let line = wholeLine(close, of: bytes)
        guard line.lowerBound < close.lowerBound || close.lowerBound == 0 || bytes[close.lowerBound - 1] == newline
        else {
            return Edit(range: close.lowerBound..<close.lowerBound, text: content(""))
        }
        let outer = String(decoding: bytes[line.lowerBound..<close.lowerBound], as: UTF8.self)
        let unit = outer.contains("\t") ? "\t" : "    "
        let text = outer + unit + content(outer + unit) + "\n"
        return Edit(range: line.lowerBound..<line.lowerBound, text: text)
    }

    /// The dictionary `GPSD` with this in it.
    private static func nested(_ socket: String) -> (String) -> String {
        { indentation in
            let (line, unit) =
                indentation.isEmpty ? ("", "") : ("\n" + indentation, indentation.contains("\t") ? "\t" : "    ")
            return "<key>GPSD</key>\(line)<dict>\(line)\(unit)\(socket)\(line)</dict>"
        }
    }

    private static let newline = UInt8(ascii: "\n")

    /// A range with the rest of its lines where that is blank, so that removing it leaves no gap; otherwise itself.
    private static func wholeLine(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, isBlank(bytes[start - 1]) { start -= 1 }
        while end < bytes.count, isBlank(bytes[end]) || bytes[end] == UInt8(ascii: "\r") { end += 1 }
        guard start == 0 || bytes[start - 1] == newline, end < bytes.count, bytes[end] == newline else { return range }
        return start..<end + 1
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
