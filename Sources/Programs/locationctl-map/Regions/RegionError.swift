/// An error in making, keeping or removing a region, as a sentence with the remedy.
struct RegionError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
