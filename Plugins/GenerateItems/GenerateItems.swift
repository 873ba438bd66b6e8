import Foundation
import PackagePlugin

/// `swift package generate-items Model.xcdatamodeld`: item classes for a model of Core Data.
///
/// The tool `justpersist` writes them. It is built when the command is run, so a package that does not run it does not build it.
@main
struct GenerateItems: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let build = try packageManager.build(
            .product("justpersist"), parameters: .init(configuration: .inherit, logging: .concise))
        let tool = build.builtArtifacts.first { $0.kind == .executable }
        guard build.succeeded, let tool else {
            print(build.logText)
            return Diagnostics.error(
                "The tool justpersist cannot be built. It needs libsqlite3-dev and the libraries of the engines."
            )
        }
        let process = Process()
        process.executableURL = tool.url
        process.currentDirectoryURL = context.package.directoryURL
        process.arguments = ["generate-items"] + arguments
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            // The tool has printed the reason.
            exit(process.terminationStatus)
        }
    }
}
