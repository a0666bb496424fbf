/// Why a region cannot be made, kept or removed, in a sentence that says what to do.
struct RegionError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
