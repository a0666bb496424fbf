package import LocationStore
package import Logging

extension StoreOpening {
    /// Logs the state of the file at the path of the database.
    package func log(to logger: Logger, directory: String) {
        switch self {
        case .existing: break
        case .created: logger.notice("Created \(directory)/locationd.db: there are no decisions yet.")
        case .replaced(let setAside, let reason, let restrictions):
            logger.error(
                """
                The decisions could not be read (\(reason)), except \(restrictions) denials and other restrictions. \
                The old file is kept as \(setAside).
                """,
                metadata: JournalMessage.decisionsLost.metadata)
        }
    }
}
