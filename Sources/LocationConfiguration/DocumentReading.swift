/// What came of reading a document as one kind of file.
struct DocumentReading<Value> {
    /// The value, if nothing was wrong; else what was.
    let result: Result<Value, InvalidConfiguration>
    /// How many keys of the outermost dictionary do not belong to this kind of file.
    let unknownKeyCount: Int

    /// What was wrong; nothing if there is a value.
    var problems: [ConfigurationProblem] {
        if case .failure(let error) = result { error.problems } else { [] }
    }

    /// Reads the outermost dictionary with `body`, which gives `nil` only after it has reported why.
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
