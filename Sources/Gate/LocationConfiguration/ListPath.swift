/// The position of a value in a property list: its keys and indices.
struct ListPath: Hashable {
    enum Step: Hashable {
        case key(String)
        case index(Int)
    }

    private(set) var steps: [Step] = []

    static let root = ListPath()

    private func appending(_ step: Step) -> ListPath {
        var longer = self
        longer.steps.append(step)
        return longer
    }

    func key(_ key: String) -> ListPath { appending(.key(key)) }

    func index(_ index: Int) -> ListPath { appending(.index(index)) }

    /// The last key; `nil` for an element of an array and for the root.
    var lastKey: String? { if case .key(let key)? = steps.last { key } else { nil } }

    /// The path of the dictionary or array around it; `nil` for the root.
    var parent: ListPath? {
        guard !steps.isEmpty else { return nil }
        var shorter = self
        shorter.steps.removeLast()
        return shorter
    }

    /// `Match.Users[1]`, with ambiguous keys quoted as in `Purposes["a.b"]`; `nil` for the root.
    var text: String? {
        guard !steps.isEmpty else { return nil }
        return steps.reduce(into: "") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where !key.isEmpty && key.utf8.allSatisfy(\.isASCIINameCharacter):
                text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(key.quoted)]"
            }
        }
    }
}
