public import MapModel

/// A part of a declared ``Map``. A program's own part puts others together:
///
/// ```swift
/// struct Mooring: MapContent {
///     let place: Coordinate
///
///     var body: MapContentGroup {
///         Marker("Buoy", coordinate: place)
///         MapCircle(center: place, radius: 30).foregroundStyle(.blue.withAlpha(0.2))
///     }
/// }
/// ```
@MainActor
public protocol MapContent {
    /// The parts that it consists of.
    @MapContentBuilder var body: MapContentGroup { get }
}

/// Several parts of a declared ``Map``, as ``MapContentBuilder`` makes them.
public struct MapContentGroup: MapContent {
    let elements: [MapElement]

    init(_ elements: [MapElement]) { self.elements = elements }

    /// The group itself.
    public var body: MapContentGroup {
        // Explicit, so that the builder, which evaluates the body, is not used.
        return self
    }
}

/// The builder of a ``Map``'s content: parts one after another, `if`, `if let`, `switch` and `for`.
@MainActor
@resultBuilder
public enum MapContentBuilder {
    /// Returns the parts of an expression.
    public static func buildExpression(_ content: some MapContent) -> MapContentGroup { content.body }
    /// Returns the parts of several expressions.
    public static func buildBlock(_ groups: MapContentGroup...) -> MapContentGroup { buildArray(groups) }
    /// Returns the parts of an `if` without `else`.
    public static func buildOptional(_ group: MapContentGroup?) -> MapContentGroup { group ?? MapContentGroup([]) }
    /// Returns the parts of the first branch.
    public static func buildEither(first group: MapContentGroup) -> MapContentGroup { group }
    /// Returns the parts of another branch.
    public static func buildEither(second group: MapContentGroup) -> MapContentGroup { group }
    /// Returns the parts of all turns of a loop.
    public static func buildArray(_ groups: [MapContentGroup]) -> MapContentGroup {
        MapContentGroup(groups.flatMap(\.elements))
    }
    /// Returns the parts of an `if #available`.
    public static func buildLimitedAvailability(_ group: MapContentGroup) -> MapContentGroup { group }
}

extension MapContent {
    /// Identifies markers for ``Map/selection(_:onChange:)`` and across updates: a marker with the tag of an earlier one takes
    /// its place, wherever it is and whatever its title. Without a tag the title identifies it. Tags differ from each other.
    public func tag(_ value: some Hashable) -> MapContentGroup { changed { $0.tag = AnyHashable(value) } }

    /// Sets the colour of markers' balloons. Default red.
    public func tint(_ color: Color) -> MapContentGroup { changed { $0.markerLook?.tint = color } }

    /// Sets the visibility of markers' titles. Default adaptive: shown where there is room.
    public func annotationTitles(_ visibility: FeatureVisibility) -> MapContentGroup {
        changed { $0.markerLook?.titleVisibility = visibility }
    }

    /// Sets the line of lines and areas.
    ///
    /// - Parameters:
    ///   - color: The colour. Default blue, unless an area has a ``foregroundStyle(_:)``.
    ///   - lineWidth: The width in pixels. Default 1.
    ///   - dash: The lengths of dashes and gaps in turn, in pixels. Empty, the default, for a solid line.
    public func stroke(_ color: Color, lineWidth: Double = 1, dash: [Double] = []) -> MapContentGroup {
        stroke(color, style: StrokeStyle(lineWidth: lineWidth, dash: dash))
    }

    /// Sets the line of lines and areas, with the shapes of its ends and corners.
    public func stroke(_ color: Color, style: StrokeStyle) -> MapContentGroup {
        changed { element in
            element.pen?.stroke = color
            element.pen?.style = style
        }
    }

    /// Sets the colour inside areas. Default a transparent blue, unless an area has a ``stroke(_:lineWidth:dash:)``.
    public func foregroundStyle(_ color: Color) -> MapContentGroup { changed { $0.pen?.fill = color } }

    /// Sets the level of lines and areas. Default above the labels.
    public func mapOverlayLevel(level: OverlayLevel) -> MapContentGroup { changed { $0.pen?.level = level } }

    private func changed(_ change: (inout MapElement) -> Void) -> MapContentGroup {
        MapContentGroup(
            body.elements.map { element in
                var element = element
                change(&element)
                return element
            })
    }
}
