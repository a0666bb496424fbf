import SQLAccess

/// The store's connection, whose errors are the store's.
typealias SQLDatabase = SQLAccess.SQLDatabase<StoreError>
typealias SQLRow = SQLAccess.SQLRow<StoreError>
typealias SQLValue = SQLAccess.SQLValue
