package import LocationModel

/// The reason why a geographic condition is refused.
public struct GeographicConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of mistake, for programs.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// There is neither a circle nor a polygon, or both.
        case notOneShape
        /// A coordinate is NaN or out of range.
        case invalidCoordinate
        /// A radius is NaN, or outside ``CircularGeographicCondition/radii``.
        case invalidRadius
        /// A ring has fewer than three different points.
        case tooFewPoints
        /// A polygon has more than ``PolygonGeographicCondition/mostPoints`` points, or so many edges that lie across each other
        /// that it would take too long to examine them.
        case tooManyPoints
        /// The points of a polygon are too far apart.
        case tooLarge
        /// A ring crosses or touches itself.
        case selfCrossing
        /// A hole is not inside the outer ring.
        case holeOutside
        /// A hole crosses, touches or contains another ring.
        case ringsCross
    }

    /// The kind of mistake.
    public var code: Code
    /// The mistake and its remedy, as sentences. Contains no coordinates.
    public var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// There is not exactly one shape.
    package static let notOneShape = GeographicConditionError(
        .notOneShape, "A condition needs one shape. Give either a circle or a polygon.")

    /// A polygon has this number of points.
    package static func tooManyPoints(_ count: Int) -> GeographicConditionError {
        GeographicConditionError(
            .tooManyPoints,
            "A polygon has \(count) points. Use at most \(PolygonGeographicCondition.mostPoints), holes included.")
    }

    static let selfCrossing = GeographicConditionError(
        .selfCrossing, "A ring of a polygon crosses or touches itself. Reorder its points or divide it.")

    static let ringsCross = GeographicConditionError(
        .ringsCross, "A hole of a polygon crosses, touches or contains another ring. Move them apart.")

    /// Its points would take too long to examine, although there are not too many.
    static let tooIntricate = GeographicConditionError(
        .tooManyPoints, "Too many edges of a polygon lie across each other. Use fewer points or divide it.")

    /// The message.
    public var description: String { message }
}

extension Coordinate {
    /// Creates a coordinate from degrees that a program sent.
    ///
    /// - Throws: ``GeographicConditionError`` with the code `invalidCoordinate` for NaN and values out of range.
    package init(conditionLatitude latitude: Double, longitude: Double) throws(GeographicConditionError) {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            let isLatitudeWrong = !(-90...90).contains(latitude)
            let (name, range) = isLatitudeWrong ? ("latitude", "−90 to 90") : ("longitude", "−180 to 180")
            throw GeographicConditionError(
                .invalidCoordinate, "The \(name) of a condition is out of range. Use \(range) degrees.")
        }
        self = coordinate
    }
}
