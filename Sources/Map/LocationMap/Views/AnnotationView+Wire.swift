import MapModel

// Views in the form for pages.

extension ViewID {
    /// The name of the view on the pages.
    var name: String {
        switch self {
        case .annotation(let id): "a\(id.rawValue)"
        case .cluster(let id): "c\(id.rawValue)"
        }
    }
}

extension AnnotationView {
    func wire(_ id: ViewID, images: ImageStore) -> WireView {
        let point = MapPoint(annotation?.coordinate ?? MapPoint(x: 0, y: 0).coordinate)
        var wire = WireView(id: id.name, position: WirePosition(point))
        let cluster = annotation as? ClusterAnnotation
        wire.reuse = reuseIdentifier ?? ""
        wire.title = annotation?.title
        wire.subtitle = annotation?.subtitle
        wire.label = label
        // Ordered by priority first, then from north to south: the world is 2^28 points high.
        let priority = isSelected ? selectedZPriority : zPriority
        wire.order = Double(priority.rawValue) * 0x2000_0000 + (isSelected ? 0x1000_0000 : 0) + point.y
        wire.isEnabled = isEnabled
        wire.isDraggable = isDraggable && annotation is any MovableAnnotation
        wire.opacity = min(max(alpha, 0), 1)
        wire.offset = [centerOffset.x, centerOffset.y]
        wire.size = [size.width, size.height]
        wire.rotation = rotation == 0 ? nil : rotation
        wire.isFlat = isFlat ? true : nil
        wire.callout = wireCallout(for: annotation, images)
        wire.members = cluster?.memberAnnotations.count
        describe(in: &wire, images: images)
        return wire
    }

    /// The label for screen readers: title and subtitle, and of a cluster the number of its members and one of them.
    private var label: String {
        var words = [annotation?.title, annotation?.subtitle].compactMap(\.self)
        if let members = (annotation as? ClusterAnnotation)?.memberAnnotations {
            let count = ClusterAnnotation.title(ofMembers: members.count)
            if !words.contains(count) { words.append(count) }
            if let member = members.lazy.compactMap(\.title).first { words.append("\(member) and others") }
        }
        return words.joined(separator: ", ")
    }
}

extension CalloutAccessory {
    @MainActor
    func wire(_ images: ImageStore) -> WireAccessory {
        let kind: WireAccessory.Kind =
            switch content {
            case .button: .button
            case .image: .image
            case .text: .text
            }
        return WireAccessory(
            kind: kind, title: content == .text ? nil : title, text: content == .text ? title : nil,
            image: image.map { images.address(of: $0) }, symbol: symbol?.rawValue,
            label: accessibilityLabel ?? title ?? symbol.map { "\($0.rawValue)" } ?? "", isEnabled: isEnabled,
            tint: tint?.wire)
    }

    /// True if this is a button that the user can press.
    var canBePressed: Bool { content == .button && isEnabled }
}
