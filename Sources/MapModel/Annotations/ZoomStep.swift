import Glibc

/// A zoom that views are laid out for: a multiple of one half, 0 to 22.
///
/// Between steps the layout stays as it is, so that views come and go at steps and not all the time. Zooms beyond 22 are
/// laid out as 22.
public struct ZoomStep: Hashable, Comparable, Sendable {
    /// The zoom in halves, 0 to 44.
    let halves: Int

    /// The step for `zoom`: the next one below.
    public init(_ zoom: Double) {
        halves = zoom > 0 ? Int(min(zoom * 2, 44)) : 0
    }

    /// The step's zoom.
    public var zoom: Double { Double(halves) / 2 }

    /// The step for `zoom` after this one: this one still, up to 0.1 below it and 0.1 above the next, so that a hand that
    /// trembles at a border does not regroup everything each time. Views drawn at 0.1 below overlap by at most 7 %. This one,
    /// too, for what is not a number.
    public func next(for zoom: Double) -> ZoomStep {
        let slack = 0.1
        return zoom.isNaN || (self.zoom - slack..<self.zoom + 0.5 + slack).contains(zoom) ? self : ZoomStep(zoom)
    }

    /// How many pixels the world is wide.
    var worldWidth: Double { Viewport.worldWidthAtZoomZero * exp2(zoom) }

    /// Whether `left` shows more of the world.
    public static func < (left: Self, right: Self) -> Bool { left.halves < right.halves }
}
