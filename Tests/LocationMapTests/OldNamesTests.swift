import LocationMap

/// The types among the old names of MapKit, for which the compiler's message says the name here. It compiles only while each is
/// declared: an unavailable declaration may name others.
@available(*, unavailable)
@MainActor
private func oldTypes() {
    _ = MKMapView.self
    _ = (any MKMapViewDelegate).self
    _ = (any MKAnnotation).self
    _ = MKPointAnnotation.self
    _ = MKAnnotationView.self
    _ = MKMarkerAnnotationView.self
    _ = MKPinAnnotationView.self
    _ = MKClusterAnnotation.self
    _ = MKUserLocation.self
    _ = (any MKOverlay).self
    _ = MKOverlayRenderer.self
    _ = MKOverlayPathRenderer.self
    _ = MKPolyline.self
    _ = MKPolylineRenderer.self
    _ = MKGeodesicPolyline.self
    _ = MKGradientPolylineRenderer.self
    _ = MKPolygon.self
    _ = MKPolygonRenderer.self
    _ = MKCircle.self
    _ = MKCircleRenderer.self
    _ = MKMultiPolyline.self
    _ = MKMultiPolylineRenderer.self
    _ = MKMultiPolygon.self
    _ = MKMultiPolygonRenderer.self
    _ = MKTileOverlay.self
    _ = MKTileOverlayRenderer.self
    _ = MKCoordinateRegion.self
    _ = MKCoordinateSpan.self
    _ = MKMapRect.self
    _ = MKMapPoint.self
    _ = MKMapSize.self
    _ = MKMapCamera.self
    _ = MKMapType.self
    _ = MKUserTrackingMode.self
    _ = MKUserTrackingButton.self
    _ = MKCompassButton.self
    _ = MKScaleView.self
    _ = MKZoomControl.self
    _ = MKPitchControl.self
    _ = MKFeatureVisibility.self
    _ = MKOverlayLevel.self
    _ = MKLocalSearch.self
    _ = MKLocalSearchCompleter.self
    _ = MKLocalSearchCompletion.self
    _ = MKMapItem.self
    _ = MKPlacemark.self
    _ = MKMapSnapshotter.self
    _ = MKPointOfInterestFilter.self
    _ = MKPointOfInterestCategory.self
    _ = MKGeoJSONDecoder.self
    _ = MKGeoJSONFeature.self
    _ = (any MKGeoJSONObject).self
    _ = MKLocalPointsOfInterestRequest.self
    _ = MKGeocodingRequest.self
    _ = MKReverseGeocodingRequest.self
    _ = MKAddress.self
    _ = MKAddressRepresentations.self
    _ = MKDistanceFormatter.self
    _ = MKFeatureDisplayPriority.self
    _ = MKAnnotationViewZPriority.self
    _ = (any MKLocalSearchCompleterDelegate).self
    _ = MKTileOverlayPath.self
    _ = MKUserTrackingBarButtonItem.self
    _ = MKStandardMapConfiguration.self
    _ = MKImageryMapConfiguration.self
    _ = MKHybridMapConfiguration.self
    _ = UIColor.self
    _ = NSColor.self
    _ = UIImage.self
    _ = NSImage.self
    _ = UIButton.self
    _ = UIEdgeInsets.self
    _ = MKDirections.self
    _ = MKRoute.self
    _ = MKLookAroundScene.self
    _ = CLLocationManager.self
    _ = CLLocation.self
    _ = CLLocationCoordinate2D.self
    _ = CLLocationDistance.self
    _ = CLLocationDegrees.self
}
