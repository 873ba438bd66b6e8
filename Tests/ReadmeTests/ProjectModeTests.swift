import Foundation
import Testing

/// The code of new users' first projects compiles in every mode that a project can have; `make test` runs it.
@Suite struct ProjectModeTests {
    private static let modes: [[String]] = ["5", "6"].flatMap { version in
        let language = ["-swift-version", version]
        let mainActor = language + ["-default-isolation", "MainActor"]
        let approachable = ["InferIsolatedConformances", "NonisolatedNonsendingByDefault"]
            .flatMap { ["-enable-upcoming-feature", $0] }
        return [language, mainActor, mainActor + approachable]
    }

    @Test(arguments: ["MainActorApp", "Script", "MainActorScript"], modes)
    func itemClassesOfTheMainActorCompile(
        folder: String, options: [String]
    ) async throws {
        let files = FileManager.default.temporaryDirectory.appending(path: "modes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: files) }
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let compiler = try #require(DocumentCompiler(in: files))
        let sources = "Examples/NewProjects/Sources/\(folder)"
        #expect(try await compiler.diagnostics(ofFilesIn: sources, options) == "")
    }
}
