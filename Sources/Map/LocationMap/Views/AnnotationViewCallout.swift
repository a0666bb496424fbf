/// The settings of a view's callout, which also shows the annotation's title and subtitle.
struct AnnotationViewCallout {
    var isEnabled = false
    var offset = ViewPoint.zero
    var left: CalloutAccessory?
    var right: CalloutAccessory?
    /// The accessory in place of the subtitle.
    var detail: CalloutAccessory?

    func accessory(_ side: CalloutSide) -> CalloutAccessory? {
        switch side {
        case .left: left
        case .right: right
        case .detail: detail
        }
    }

    /// Returns the callout for an annotation; `nil` if it is disabled or there is nothing to show.
    @MainActor
    func wire(for annotation: (any Annotation)?, _ images: ImageStore) -> WireCallout? {
        guard isEnabled, annotation?.title?.isEmpty == false || detail != nil else { return nil }
        return WireCallout(
            title: annotation?.title, subtitle: detail == nil ? annotation?.subtitle : nil, left: left?.wire(images),
            right: right?.wire(images), detail: detail?.wire(images), offset: [offset.x, offset.y])
    }
}
