import NIOPosix

/// Threads for work that waits for files, so that a slow disk, or a file that takes long to read, holds up nothing else.
struct FileWork: Sendable {
    /// For tiles and the page.
    static let tiles = FileWork(threads: 4)
    /// For searches, which take turns.
    static let places = FileWork(threads: 1)

    private let pool: NIOThreadPool

    private init(threads: Int) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    /// The result of `body`, which runs on one of the threads.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await pool.runIfActive(body)
    }
}
