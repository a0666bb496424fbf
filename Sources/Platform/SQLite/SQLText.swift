/// The text of a statement: literals of the program, alone or put together, so that no input becomes part of it.
package struct SQLText: Sendable, ExpressibleByStringInterpolation {
    package let text: String

    package init(stringLiteral literal: StaticString) { text = literal.description }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        package mutating func appendInterpolation(_ part: SQLText) { text += part.text }
    }
}
