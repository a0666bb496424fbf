/// The result of reading a document as one kind of file.
struct DocumentReading<Value> {
    /// The value, or the problems.
    let result: Result<Value, InvalidConfiguration>
    /// The number of keys in the outermost dictionary that do not belong to this kind of file.
    let unknownKeyCount: Int

    /// The problems; empty if there is a value.
    var problems: [ConfigurationProblem] {
        if case .failure(let error) = result { error.problems } else { [] }
    }

    /// Reads the outermost dictionary with `body`, which returns `nil` only after reporting a problem.
    init(_ document: PropertyListDocument, _ body: (DictionaryReader) -> Value?) {
        let log = ProblemLog(document)
        guard let entries = document.root.dictionary else {
            log.report(.root, "This must be a dictionary, not \(document.root.kind).")
            result = .failure(InvalidConfiguration(log.sorted))
            unknownKeyCount = 0
            return
        }
        let reader = DictionaryReader(entries, at: .root, log: log)
        let value = body(reader)
        reader.finish()
        unknownKeyCount = reader.unknownKeys.count
        let problems = log.sorted
        if let value, problems.isEmpty {
            result = .success(value)
        } else {
            result = .failure(InvalidConfiguration(problems))
        }
    }
}
