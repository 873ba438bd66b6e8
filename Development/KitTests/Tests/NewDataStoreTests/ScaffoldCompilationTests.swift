import Foundation
import Testing

/// The scaffold compiles without edits, with any settings of its package.
@Suite struct ScaffoldCompilationTests {
    private static let features = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
        "NonisolatedNonsendingByDefault", "InferIsolatedConformances",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    private static let flags = [
        ["-swift-version", "6"], ["-swift-version", "5"], ["-swift-version", "6"] + features,
        ["-swift-version", "6", "-strict-memory-safety", "-require-explicit-sendable"] + features,
    ]

    @Test(arguments: flags) func aWrapperCompiles(flags: [String]) throws {
        try expectToCompile(Scaffold.make("Realm"), flags)
    }

    @Test(arguments: flags) func anEngineCompiles(flags: [String]) throws {
        try expectToCompile(Scaffold.make("Rocks", "--engine"), flags)
    }

    @Test func severalShareATarget() throws {
        let package = try TemporaryPackage()
        for scaffold in [
            try Scaffold.make("Realm", "--target", "App"),
            try Scaffold.make("Dictionary", "--target", "App"),
            try Scaffold.make("Rocks", "--target", "App", "--engine"),
        ] {
            _ = try scaffold.write(into: package.outline())
        }
        try expectToCompile("App", of: package, ["-swift-version", "6"])
    }

    private func expectToCompile(_ scaffold: Scaffold, _ flags: [String]) throws {
        let package = try TemporaryPackage()
        _ = try scaffold.write(into: package.outline())
        try expectToCompile(scaffold.target, of: package, flags)
    }

    private func expectToCompile(
        _ target: String, of package: TemporaryPackage, _ flags: [String]
    ) throws {
        let sources = package.files.filter { $0.hasPrefix("Sources/\(target)/") }
        try #require(!sources.isEmpty)
        let modules = try #require(Self.modules)
        let output = package.directory.appending(path: "output")
        try Data().write(to: output)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.currentDirectoryURL = package.directory
        compiler.arguments =
            [
                "swiftc", "-emit-module", "-o", "module", "-warnings-as-errors", "-package-name",
                "app",
            ]
            + ["-module-name", target, "-I", modules.path] + flags + sources
        compiler.standardError = try FileHandle(forWritingTo: output)
        try compiler.run()
        compiler.waitUntilExit()
        let diagnostics = try package.text(of: "output")
        #expect(compiler.terminationStatus == 0, "\(diagnostics)")
    }

    /// The modules that the tests were built with.
    private static var modules: URL? {
        var place = Bundle.main.executableURL
        while let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let modules = folder.appending(path: "Modules")
            let module = modules.appending(path: "JustPersistRecords.swiftmodule")
            if FileManager.default.fileExists(atPath: module.path) { return modules }
            place = folder
        }
        return nil
    }
}
