import SQLite

/// The store's database connection, with the store's error type.
typealias SQLDatabase = SQLite.SQLDatabase<StoreError>
typealias SQLRow = SQLite.SQLRow<StoreError>
typealias SQLValue = SQLite.SQLValue
