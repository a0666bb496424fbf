import Observation

// Declared content.

extension MapView {
    /// Shows a declared map in place of the one before, of which it changes only what differs. What the program has added by
    /// itself stays, and so does the delegate; it provides no views of declared annotations.
    public func show(_ map: Map) {
        declared.generation += 1
        declared.show(map, on: self)
    }

    /// Shows the map that `declare` returns, now and after each change of an `@Observable` object that `declare` has read.
    /// Several changes at once cause one update.
    public func show(_ declare: @escaping @MainActor () -> Map) {
        declared.generation += 1
        observe(declared.generation, declare)
    }

    private func observe(_ generation: Int, _ declare: @escaping @MainActor () -> Map) {
        guard generation == declared.generation else { return }
        let map = withObservationTracking(declare) { [weak self] in
            // An unstructured task, because this is called before the change, and from any thread.
            Task { @MainActor in self?.observe(generation, declare) }
        }
        declared.show(map, on: self)
    }
}
