/// Checks that the machine has a source of locations at all.
package struct SourcesCheck: Check {
    /// The receivers that gpsd has or shall have, each as a noun for a sentence.
    package var receivers: [String] = []
    /// The other sources, each as a noun for a sentence.
    package var others: [String] = []

    /// True if gpsd cannot be queried for its receivers, for lack of rights.
    package var isGPSDHidden = false

    package var found: [String] { receivers + others }

    /// The sources that make gpsd and a receiver dispensable, as a noun; `nil` if there are none, or if a receiver is wanted
    /// beside them.
    package var substitute: String? { receivers.isEmpty && !others.isEmpty ? others.joined(separator: ", ") : nil }

    /// False if there is certainly none.
    package var hasSource: Bool { !found.isEmpty || isGPSDHidden }

    package var findings: [Finding] {
        guard found.isEmpty else {
            return [.ok(.sourcePresent, "locations come from \(found.joined(separator: ", "))")]
        }
        if isGPSDHidden { return [.notChecked(.sourcePresent, "the sources of locations", "gpsd cannot be asked")] }
        return .problem(
            .sourcePresent, "this machine has no source of locations",
            remedy:
                "Plug in a receiver that gpsd reads. For a machine that does not move, run: sudo locationctl sources fixed set "
                + "LATITUDE LONGITUDE\nAll sources and what each needs: locationctl sources")
    }
}
