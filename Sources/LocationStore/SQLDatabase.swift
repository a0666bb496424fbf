import SQLAccess

/// The store's database connection, with the store's error type.
typealias SQLDatabase = SQLAccess.SQLDatabase<StoreError>
typealias SQLRow = SQLAccess.SQLRow<StoreError>
typealias SQLValue = SQLAccess.SQLValue
