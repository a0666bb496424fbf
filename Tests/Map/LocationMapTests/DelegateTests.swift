import LocationClient
import LocationModel
import Testing

@testable import LocationMap

/// A method of a delegate whose signature is not the requirement's compiles, and the requirement's own default is called in its
/// place. So each is called as the map does.
@Suite("MapView: the delegate's signatures", .timeLimit(.minutes(10)))
@MainActor
struct DelegateTests {
    /// The methods of `MKMapViewDelegate` as MapKit declares them for Swift, under the names of this module's types.
    private final class Everything: MapViewDelegate {
        var told: [String] = []
        let renderer = OverlayRenderer(overlay: Circle(center: .at(0, 0), radius: 1))
        let cluster = ClusterAnnotation(memberAnnotations: [])
        let view = AnnotationView(annotation: nil, reuseIdentifier: nil)

        func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) { told.append("regionWillChange") }
        func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { told.append("regionDidChange") }
        func mapViewDidChangeVisibleRegion(_ mapView: MapView) { told.append("didChangeVisibleRegion") }
        func mapViewWillStartLoadingMap(_ mapView: MapView) { told.append("willStartLoading") }
        func mapViewDidFinishLoadingMap(_ mapView: MapView) { told.append("didFinishLoading") }
        func mapViewDidFailLoadingMap(_ mapView: MapView, withError error: any Error) {
            told.append("didFailLoading \(error)")
        }
        func mapViewWillStartRenderingMap(_ mapView: MapView) { told.append("willStartRendering") }
        func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) {
            told.append("didFinishRendering \(fullyRendered)")
        }
        func mapViewWillStartLocatingUser(_ mapView: MapView) { told.append("willStartLocatingUser") }
        func mapViewDidStopLocatingUser(_ mapView: MapView) { told.append("didStopLocatingUser") }
        func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) { told.append("didUpdate") }
        func mapView(_ mapView: MapView, didFailToLocateUserWithError error: any Error) { told.append("didFail") }
        func mapView(_ mapView: MapView, didChange mode: UserTracking.Mode, animated: Bool) { told.append("didChange") }
        func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? { view }
        func mapView(
            _ mapView: MapView, clusterAnnotationForMemberAnnotations memberAnnotations: [any Annotation]
        ) -> ClusterAnnotation { cluster }
        func mapView(_ mapView: MapView, didAdd views: [AnnotationView]) { told.append("didAdd") }
        func mapView(_ mapView: MapView, didSelect view: AnnotationView) { told.append("didSelect view") }
        func mapView(_ mapView: MapView, didSelect annotation: any Annotation) { told.append("didSelect annotation") }
        func mapView(_ mapView: MapView, didDeselect view: AnnotationView) { told.append("didDeselect view") }
        func mapView(_ mapView: MapView, didDeselect annotation: any Annotation) {
            told.append("didDeselect annotation")
        }
        func mapView(
            _ mapView: MapView, annotationView view: AnnotationView,
            calloutAccessoryControlTapped control: CalloutAccessory
        ) { told.append("tapped") }
        func mapView(
            _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
            fromOldState oldState: AnnotationView.DragState
        ) { told.append("dragged") }
        func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer { renderer }
        func mapView(_ mapView: MapView, didAdd renderers: [OverlayRenderer]) { told.append("didAdd renderers") }
    }

    @Test("each method that MapKit has is the one that the map calls")
    func signatures() {
        let everything = Everything()
        let delegate: any MapViewDelegate = everything
        let (map, view, annotation) = (MapView(), everything.view, PointAnnotation(coordinate: .at(0, 0)))
        delegate.mapView(map, regionWillChangeAnimated: true)
        delegate.mapView(map, regionDidChangeAnimated: true)
        delegate.mapViewDidChangeVisibleRegion(map)
        delegate.mapViewWillStartLoadingMap(map)
        delegate.mapViewDidFinishLoadingMap(map)
        delegate.mapViewDidFailLoadingMap(map, withError: MapLoadingError.pageClosed)
        delegate.mapViewWillStartRenderingMap(map)
        delegate.mapViewDidFinishRenderingMap(map, fullyRendered: true)
        delegate.mapViewWillStartLocatingUser(map)
        delegate.mapViewDidStopLocatingUser(map)
        delegate.mapView(map, didUpdate: map.userLocation)
        delegate.mapView(map, didFailToLocateUserWithError: LocationError.serviceUnavailable(reason: ""))
        delegate.mapView(map, didChange: .follow, animated: true)
        delegate.mapView(map, didAdd: [view])
        delegate.mapView(map, didSelect: view)
        delegate.mapView(map, didSelect: annotation)
        delegate.mapView(map, didDeselect: view)
        delegate.mapView(map, didDeselect: annotation)
        delegate.mapView(map, annotationView: view, calloutAccessoryControlTapped: .text(""))
        delegate.mapView(map, annotationView: view, didChange: .starting, fromOldState: .none)
        delegate.mapView(map, didAdd: [everything.renderer])
        #expect(
            everything.told == [
                "regionWillChange", "regionDidChange", "didChangeVisibleRegion", "willStartLoading",
                "didFinishLoading", "didFailLoading \(MapLoadingError.pageClosed)", "willStartRendering",
                "didFinishRendering true", "willStartLocatingUser",
                "didStopLocatingUser", "didUpdate", "didFail", "didChange", "didAdd", "didSelect view",
                "didSelect annotation", "didDeselect view", "didDeselect annotation", "tapped", "dragged",
                "didAdd renderers",
            ])
        #expect(delegate.mapView(map, viewFor: annotation) === view)
        #expect(delegate.mapView(map, clusterAnnotationForMemberAnnotations: []) === everything.cluster)
        #expect(delegate.mapView(map, rendererFor: everything.renderer.overlay) === everything.renderer)
    }

    @Test("the selection of an annotation is reported beside that of its view")
    func selection() throws {
        let everything = Everything()
        let map = MapView()
        map.delegate = everything
        let page = try FakePage(map)
        let annotation = PointAnnotation(coordinate: map.centerCoordinate)
        map.addAnnotation(annotation)
        _ = try page.state()
        everything.told = []
        map.selectAnnotation(annotation, animated: false)
        map.deselectAnnotation(annotation, animated: false)
        #expect(
            everything.told.filter { $0.hasPrefix("did") } == [
                "didSelect view", "didSelect annotation", "didDeselect view", "didDeselect annotation",
            ])
    }

    @Test("loading and drawing by several pages are reported once, with the first error")
    func loading() throws {
        let everything = Everything()
        let map = MapView()
        map.delegate = everything
        let (first, second) = (try FakePage(map), try FakePage(map))
        func calls(_ work: () throws -> Void) rethrows -> [String] {
            everything.told = []
            try work()
            return everything.told
        }
        #expect(
            calls {
                first.post(.loading(.started), .rendering(.started))
                second.post(.loading(.started), .rendering(.started))
                first.post(.loading(.finished), .rendering(.finished))
            } == ["willStartLoading", "willStartRendering"])
        #expect(
            calls { second.post(.loading(.finished), .rendering(.finished)) }
                == ["didFinishLoading", "didFinishRendering true"])
        #expect(
            calls { second.post(.loading(.finished), .rendering(.failed)) }.isEmpty, "the end of what has not begun")

        // The tile's request may arrive first. The next time nothing fails.
        map.tileFailed(SnapshotError.noBrowser)
        let failed = calls {
            first.post(.loading(.started), .rendering(.started), .loading(.failed), .rendering(.failed))
        }
        #expect(
            failed.suffix(2) == ["didFailLoading \(SnapshotError.noBrowser)", "didFinishRendering false"])
        let again = calls {
            first.post(.loading(.started), .rendering(.started), .loading(.finished), .rendering(.finished))
        }
        #expect(again.suffix(2) == ["didFinishLoading", "didFinishRendering true"])
        let lost = calls {
            first.post(.loading(.started), .rendering(.started), .loading(.failed), .rendering(.failed))
        }
        #expect(lost.suffix(2) == ["didFailLoading \(MapLoadingError.tileLost)", "didFinishRendering false"])

        let closed = calls {
            first.post(.loading(.started), .rendering(.started))
            second.post(.loading(.started))
            map.disconnect(first.page)
            map.disconnect(second.page)
        }
        #expect(
            closed == [
                "willStartLoading", "willStartRendering", "didFinishRendering false",
                "didFailLoading \(MapLoadingError.pageClosed)",
            ])
    }

    /// Adds a circle for each line, from within the callbacks.
    private final class Buoys: MapViewDelegate {
        var added: [[ObjectIdentifier]] = []

        func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
            if let line = overlay as? Polyline {
                mapView.addOverlay(Circle(center: line.coordinate, radius: Double(mapView.overlays.count)))
            }
            return mapView.defaultRenderer(for: overlay)
        }

        func mapView(_ mapView: MapView, didAdd renderers: [OverlayRenderer]) {
            added.append(renderers.map { ObjectIdentifier($0.overlay) })
            for renderer in renderers { #expect(mapView.renderer(for: renderer.overlay) === renderer) }
        }
    }

    @Test("the delegate gets renderers after they are added, and may change the overlays meanwhile")
    func renderers() throws {
        let buoys = Buoys()
        let map = MapView()
        map.delegate = buoys
        let line = Polyline(coordinates: [.at(47, 9), .at(48, 9)])
        map.addOverlay(line)
        #expect(buoys.added.isEmpty)
        let page = try FakePage(map)
        #expect(try page.state()["overlays"]?.array.count == 2)
        #expect(buoys.added == [[ObjectIdentifier(line)], [ObjectIdentifier(map.overlays[1])]])

        let point = Circle(center: .at(47, 9), radius: 5)
        map.addOverlay(point)
        _ = try page.last("overlays")
        #expect(buoys.added.count == 3 && buoys.added.last == [ObjectIdentifier(point)])
    }
}
