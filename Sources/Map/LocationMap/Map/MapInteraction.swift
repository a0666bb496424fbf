/// The ways in which the user may change a map.
struct MapInteraction {
    var isZoomEnabled = true
    var isScrollEnabled = true
    var isRotateEnabled = true
    var isPitchEnabled = true
    /// True if the page keeps the visible region in its address.
    var followsAddress = false
    /// True if selecting a cluster shows its members.
    var zoomsToSelectedCluster = true

    func allows(_ gesture: PageMessage.Gesture) -> Bool {
        switch gesture {
        case .pan: isScrollEnabled
        case .zoom: isZoomEnabled
        case .rotate: isRotateEnabled
        case .pitch: isPitchEnabled
        }
    }

    /// True if a page's camera may move the map. A static map stays in place, whatever a page posts.
    ///
    /// If any gesture is enabled the whole camera is accepted, because zooming towards the pointer moves the centre as
    /// well.
    func allows(_ cause: PageMessage.Camera.Cause) -> Bool {
        switch cause {
        case .gesture, .control: isZoomEnabled || isScrollEnabled || isRotateEnabled || isPitchEnabled
        case .address: followsAddress
        case .program, .tracking: true
        }
    }
}
