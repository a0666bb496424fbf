import Glibc

/// A zoom at which views are laid out: a multiple of one half, 0 to 22.
///
/// Between two steps the layout stays the same, so that views regroup at steps only. Zooms above 22 use the layout of
/// 22.
public struct ZoomStep: Hashable, Comparable, Sendable {
    /// The zoom in halves, 0 to 44.
    let halves: Int

    /// Creates the step at or below `zoom`.
    public init(_ zoom: Double) {
        halves = zoom > 0 ? Int(min(zoom * 2, 44)) : 0
    }

    /// The step's zoom.
    public var zoom: Double { Double(halves) / 2 }

    /// Returns the step for `zoom` after this one, with hysteresis: the step stays from 0.1 below it to 0.1 above the
    /// next one, so that small movements at a border do not regroup the views. Views drawn at 0.1 below overlap by at
    /// most 7 %. NaN keeps the step.
    public func next(for zoom: Double) -> ZoomStep {
        let slack = 0.1
        return zoom.isNaN || (self.zoom - slack..<self.zoom + 0.5 + slack).contains(zoom) ? self : ZoomStep(zoom)
    }

    /// The width of the world in pixels.
    var worldWidth: Double { Viewport.worldWidthAtZoomZero * exp2(zoom) }

    /// True if `left` is the smaller zoom, which shows more of the world.
    public static func < (left: Self, right: Self) -> Bool { left.halves < right.halves }
}
