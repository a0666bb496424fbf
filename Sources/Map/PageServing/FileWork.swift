import NIOPosix

/// Threads for work that waits for files, so that a slow disk or a large file delays nothing else.
package struct FileWork: Sendable {
    /// Threads for tiles and the page's files.
    package static let tiles = FileWork(threads: 4)
    /// A thread for searches, which run one after another.
    package static let places = FileWork(threads: 1)
    /// Threads for the files of regions and the command that adds them.
    package static let regions = FileWork(threads: 2)
    /// Threads for the commands whose reports a page shows.
    package static let reports = FileWork(threads: 3)
    /// A thread for files of places and lines, which are read one after another.
    package static let placeFiles = FileWork(threads: 1)

    private let pool: NIOThreadPool

    private init(threads: Int) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    /// Returns the result of `body`, run on one of the threads.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await pool.runIfActive(body)
    }
}
