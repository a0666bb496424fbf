import Foundation
import PackagePlugin

/// Generates one Swift file from each `.varlink` file and each `.names` file of a target.
@main
struct GenerateInterfaces: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let generator = try context.tool(named: "InterfaceGenerator").url
        let files = ["varlink", "names"].flatMap { target.sourceFiles(withSuffix: $0) }
        return files.map { file in
            let output = context.pluginWorkDirectoryURL
                .appending(path: file.url.deletingPathExtension().lastPathComponent + ".swift")
            return .buildCommand(
                displayName: "Generating \(output.lastPathComponent)", executable: generator,
                arguments: [file.url.path, output.path], inputFiles: [file.url], outputFiles: [output])
        }
    }
}
