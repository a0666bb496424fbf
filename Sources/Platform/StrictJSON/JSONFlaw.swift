/// The reason why a text is not accepted as JSON.
package enum JSONFlaw: Error, Equatable {
    /// Not JSON (RFC 8259) in UTF-8, or not the requested kind of value.
    case malformed
    /// The text ends within a value.
    case cutShort
    /// There are more than `JSONScanner.maximumDepth` values within one another.
    case tooDeep
    /// An object has two members of the same name, at `path`: `a.b`, with elements of arrays as `a[0]`. RFC 8259 leaves
    /// open which of them counts, so two readers might choose different ones.
    case repeatedName(path: String)
}
