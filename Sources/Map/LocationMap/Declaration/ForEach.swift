/// Parts of a declared ``Map`` for the elements of a collection (SwiftUI's `ForEach`):
///
/// ```swift
/// map.show(Map { ForEach(["North", "South"], id: \.self) { Marker($0, coordinate: harbour) } })
/// ```
///
/// Each part is tagged with its element's identity, as by ``MapContent/tag(_:)``, unless it consists of several.
@MainActor
public struct ForEach: MapContent {
    /// The parts.
    public let body: MapContentGroup

    /// Declares a part for each element.
    public init<Elements: Sequence>(
        _ elements: Elements, @MapContentBuilder content: (Elements.Element) -> MapContentGroup
    ) where Elements.Element: Identifiable {
        self.init(elements, id: \.id, content: content)
    }

    /// Declares a part for each element, whose property at `id` is its identity.
    public init<Elements: Sequence>(
        _ elements: Elements, id: KeyPath<Elements.Element, some Hashable>,
        @MapContentBuilder content: (Elements.Element) -> MapContentGroup
    ) {
        body = MapContentGroup(
            elements.flatMap { element -> [MapElement] in
                var parts = content(element).elements
                if parts.count == 1, parts[0].tag == nil { parts[0].tag = AnyHashable(element[keyPath: id]) }
                return parts
            })
    }
}
