/// Checks that the machine has a source of locations at all.
package struct SourcesCheck: Check {
    /// The sources that were found, each as a noun for a sentence.
    package var found: [String]

    /// True if gpsd cannot be asked for its receivers, for want of rights.
    package var isGPSDHidden = false

    package init(found: [String]) {
        self.found = found
    }

    /// False if there is certainly none.
    package var hasSource: Bool { !found.isEmpty || isGPSDHidden }

    package var findings: [Finding] {
        guard found.isEmpty else {
            return [.ok(.sourcePresent, "locations come from \(found.joined(separator: ", "))")]
        }
        if isGPSDHidden { return [.notChecked(.sourcePresent, "the sources of locations", "gpsd cannot be asked")] }
        return [
            .problem(
                .sourcePresent, "this machine has no source of locations",
                remedy:
                    "Plug in a receiver that gpsd reads. For a machine that does not move, run: sudo locationctl place set "
                    + "LATITUDE LONGITUDE\nAll sources and what each needs: locationctl sources")
        ]
    }
}
