import Observation

// Declared content.

extension MapView {
    /// Shows a declared map in place of the one before, of which it changes only what differs. What the program has added by
    /// itself stays, and so does the delegate; it provides no views of declared annotations.
    public func show(_ map: Map) {
        declared.observe(nil)
        declared.show(map, on: self)
    }

    /// Shows the map that `declare` returns, now and after each change of an `@Observable` object that `declare` has read.
    /// Several changes at once cause one update.
    public func show(_ declare: @escaping @MainActor () -> Map) {
        declared.observe(declare)
        showObserved(declared.generation)
    }

    /// Shows the map that `declare` returns, as the function for a ``Map`` does, with the object that converts its coordinates.
    public func show(_ declare: @escaping @MainActor () -> MapReader) {
        let proxy = MapProxy(self)
        show { declare().content(proxy) }
    }

    private func showObserved(_ generation: Int) {
        guard generation == declared.generation, let declare = declared.declare else { return }
        // The observed objects keep this closure, so it must not keep `declare`, which usually keeps them.
        let map = withObservationTracking(declare) { [weak self] in
            // An unstructured task, because this is called before the change, and from any thread.
            Task { @MainActor in self?.showObserved(generation) }
        }
        declared.show(map, on: self)
    }
}
