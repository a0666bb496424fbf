import LocationPolicy

/// A program that a manager names by its path: the declarations that name it, and what follows for its access.
struct NamedProgram {
    /// The declaration that counts; `nil` if none does.
    let declaration: ClientDeclaration?
    /// The steps by which it was found, for an explanation.
    let steps: [Explanation.Step]

    /// Looks up the declarations that name an executable.
    ///
    /// - Parameters:
    ///   - frontEnds: The names of the front ends that serve programs that are not declared.
    init(_ path: String, of userID: UInt32, in registry: ClientRegistry, servedUndeclaredBy frontEnds: [String]) {
        let rule = "Which declaration names \(path)?"
        let naming = registry.declarations.values
            .filter { $0.match.executable?.utf8.elementsEqual(path.utf8) == true }
            .sorted { ($0.match.specificity, $0.identifier) < ($1.match.specificity, $1.identifier) }
        guard !naming.isEmpty else {
            declaration = nil
            let ways = frontEnds.sorted().joined(separator: " or ")
            let others = ways.isEmpty ? "" : " unless it asks through \(ways): then the user is asked"
            steps = [
                Explanation.Step(
                    rule: rule,
                    found: "none of \(registry.declarations.count): it is undeclared and receives no location\(others)",
                    isDecisive: true)
            ]
            return
        }
        let usable = naming.filter { $0.match.users?.contains(userID) ?? true }
        let most = usable.first.map(\.match.specificity)
        // The least specific one is that of the program wherever it runs. Of two alike, neither counts: access is denied.
        let counting = usable.filter { $0.match.specificity == most }
        declaration = counting.count == 1 ? counting[0] : nil
        let isAmbiguous = counting.count > 1
        steps = naming.map { each in
            let isCounting = counting.contains { $0.identifier == each.identifier }
            let further = each.match.specificity > 1 ? ", for its processes that meet the other criteria as well" : ""
            let found =
                if !usable.contains(where: { $0.identifier == each.identifier }) {
                    "\(each.identifier), which is not for user \(userID)"
                } else if isCounting {
                    isAmbiguous
                        ? "\(each.identifier), equally well: it receives no location" : "\(each.identifier)\(further)"
                } else {
                    "\(each.identifier) too\(further)"
                }
            return Explanation.Step(
                rule: rule, found: found, file: each.file, keyPath: "Match", isDecisive: isAmbiguous && isCounting)
        }
    }
}
