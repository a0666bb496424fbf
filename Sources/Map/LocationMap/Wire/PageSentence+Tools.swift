import MapTiles

extension PageSentence {
    /// A sentence about the programs of `tools` that are not installed, with the command that installs them; `nil` if all are.
    package init?(missing tools: [RegionTool]) {
        let missing = tools.filter { !$0.isInstalled }
        guard let first = missing.first else { return nil }
        let command = "sudo apt install \(missing.map(\.package).joined(separator: " "))"
        if missing.count == 1 {
            self.init(
                "{program} is needed to make a region out of an extract, and not installed.", ["program": first.name],
                lead: "To install it on Debian, run:", command: command)
        } else {
            let others = missing.dropFirst().map(\.name).joined(separator: ", ")
            self.init(
                "{program} and {others} are needed to make a region out of an extract, and not installed.",
                ["program": first.name, "others": others], lead: "To install them on Debian, run:", command: command)
        }
    }
}
