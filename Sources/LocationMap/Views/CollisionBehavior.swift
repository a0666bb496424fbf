import MapModel

/// The behaviour of a view among others: which of two that collide is shown, and which of two that overlap is on top.
struct CollisionBehavior {
    var clusteringIdentifier: String?
    var displayPriority = FeatureDisplayPriority.required
    var mode = CollisionMode.rectangle
    var zPriority = AnnotationViewZPriority.defaultUnselected
    var selectedZPriority = AnnotationViewZPriority.defaultSelected

    func zPriority(isSelected: Bool) -> AnnotationViewZPriority { isSelected ? selectedZPriority : zPriority }
}
