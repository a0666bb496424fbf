/// The elements of a stream, whose errors become ``LocationError``.
package struct LocationErrorStream<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
    private let base: Base

    package init(base: Base) { self.base = base }

    package func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        package mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> Base.Element?
        {
            do { return try await base.next(isolation: actor) } catch { throw LocationError(error) }
        }
    }
}
