import MapModel

/// The annotations of a map, by their numbers in the layout.
@MainActor
struct AnnotationRegistry {
    /// An annotation on the map.
    struct Entry {
        let annotation: any Annotation
        /// The annotation's item in the layout.
        var item: LayoutItem
        /// The view, while it is shown or kept to be shown at once.
        var view: AnnotationView?
    }

    private var entries: [AnnotationID: Entry] = [:]
    private var ids: [ObjectIdentifier: AnnotationID] = [:]
    private var lastID: UInt32 = 0

    var count: Int { entries.count }

    /// The annotations, in the order of their addition.
    var annotations: [any Annotation] {
        entries.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value.annotation)
    }

    func id(of annotation: any Annotation) -> AnnotationID? { ids[ObjectIdentifier(annotation)] }

    subscript(id: AnnotationID) -> Entry? {
        get { entries[id] }
        set { if let newValue { entries[id] = newValue } }
    }

    /// Adds an annotation, and returns its number; `nil` if it is present already.
    mutating func add(_ annotation: any Annotation) -> AnnotationID? {
        guard id(of: annotation) == nil else { return nil }
        lastID += 1
        let id = AnnotationID(rawValue: lastID)
        ids[ObjectIdentifier(annotation)] = id
        let item = LayoutItem(
            id: id, point: MapPoint(annotation.coordinate), frame: ViewFrame(width: 1, height: 1))
        entries[id] = Entry(annotation: annotation, item: item)
        return id
    }

    /// Removes an annotation, and returns its entry; `nil` if it is absent.
    mutating func remove(_ annotation: any Annotation) -> (id: AnnotationID, entry: Entry)? {
        guard let id = ids.removeValue(forKey: ObjectIdentifier(annotation)),
            let entry = entries.removeValue(forKey: id)
        else { return nil }
        return (id, entry)
    }

    func annotations(in rect: MapRect) -> [any Annotation] {
        let middle = rect.center
        return entries.values.filter { rect.contains($0.item.point.nearest(to: middle)) }.map(\.annotation)
    }
}
