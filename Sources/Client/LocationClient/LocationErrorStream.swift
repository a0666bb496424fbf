/// The elements of a stream, whose errors become ``LocationError``.
struct LocationErrorStream<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
    let base: Base

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async throws(LocationError) -> Base.Element? {
            do { return try await base.next(isolation: actor) } catch { throw LocationError(error) }
        }
    }
}
