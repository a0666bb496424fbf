import LocationConfiguration

/// Checks that the programs that may answer for their user can be recognised.
package struct AgentsCheck: Check {
    package var agents: [String]
    /// The programs by path.
    package var programs: [String: ProgramEvidence] = [:]
    package var isSandboxed = true

    package var findings: [Finding] {
        guard !agents.isEmpty else {
            return .advice(
                .agentProgram, "Agents is empty: only root can answer prompts and decide",
                remedy: "If policies decide everything, that is as intended; otherwise add /usr/bin/locationctl.")
        }
        let found = agents.compactMap { path -> Finding? in
            // The default list has the agents of all desktops, and a machine rarely has more than one.
            guard programs[path]?.content != .absent || !DaemonConfiguration().agents.contains(path) else { return nil }
            guard let trouble = programs[path]?.trouble(key: "its entry in Agents", isSandboxed: isSandboxed) else {
                return nil
            }
            return .problem(
                .agentProgram, "the agent \(path) \(trouble.found)", remedy: trouble.remedy, subject: path)
        }
        return found.isEmpty ? [.ok(.agentProgram, "every agent in the configuration can be recognised")] : found
    }
}
