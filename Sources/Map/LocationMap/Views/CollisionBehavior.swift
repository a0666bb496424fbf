import MapModel

/// The behaviour of a view towards others: which of two colliding views is shown, and which of two overlapping ones is
/// on top.
struct CollisionBehavior {
    var clusteringIdentifier: String?
    var displayPriority = FeatureDisplayPriority.required
    var mode = CollisionMode.rectangle
    var zPriority = AnnotationViewZPriority.defaultUnselected
    var selectedZPriority = AnnotationViewZPriority.defaultSelected

    func zPriority(isSelected: Bool) -> AnnotationViewZPriority { isSelected ? selectedZPriority : zPriority }
}
