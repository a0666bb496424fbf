/// The result of reading a document as one kind of file.
struct DocumentReading<Value> {
    /// The value of the valid keys; `nil` without a dictionary to read.
    var value: Value?
    /// The problems, in the order of their lines.
    let problems: [ConfigurationProblem]
    /// The paths of the values that are in doubt because of a problem.
    let doubts: [ListPath]
    /// The keys of the outermost dictionary.
    let keys: Set<String>
    /// The number of them that do not belong to this kind of file.
    let unknownKeyCount: Int

    /// Reads the outermost dictionary with `body`.
    init(_ document: PropertyListDocument, _ body: (DictionaryReader) -> Value) {
        let log = ProblemLog(document)
        let entries = document.root.dictionary
        if let entries {
            let reader = DictionaryReader(entries, at: .root, log: log)
            value = body(reader)
            reader.finish()
            unknownKeyCount = reader.unknownKeys.count
        } else {
            log.report(.root, "This must be a dictionary, not \(document.root.kind).")
            value = nil
            unknownKeyCount = 0
        }
        keys = Set(entries?.keys.map { $0 } ?? [])
        problems = log.sorted
        doubts = log.doubts
    }
}
