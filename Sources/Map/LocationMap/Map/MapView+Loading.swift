// The loading and drawing of the map's tiles by its pages.

extension MapView {
    /// Handles a page's report of the tiles that it loads.
    func receive(loading stage: PageMessage.Stage, from page: String) {
        if let call = loading.receiveLoading(stage, from: page) { notifyDelegate(of: call) }
    }

    /// Handles a page's report of its drawing.
    func receive(rendering stage: PageMessage.Stage, from page: String) {
        if let call = loading.receiveRendering(stage, from: page) { notifyDelegate(of: call) }
    }

    /// Notes that a tile could not be loaded.
    func tileFailed(_ error: any Error) { loading.fail(error) }

    /// Ends what a page that has left was loading.
    func endLoading(of page: String) {
        for call in loading.remove(page) { notifyDelegate(of: call) }
    }

    private func notifyDelegate(of call: LoadingState.Call) {
        switch call {
        case .willStartLoading: delegate?.mapViewWillStartLoadingMap(self)
        case .didFinishLoading: delegate?.mapViewDidFinishLoadingMap(self)
        case .didFailLoading(let error): delegate?.mapViewDidFailLoadingMap(self, withError: error)
        case .willStartRendering: delegate?.mapViewWillStartRenderingMap(self)
        case .didFinishRendering(let isComplete):
            delegate?.mapViewDidFinishRenderingMap(self, fullyRendered: isComplete)
        }
    }
}
