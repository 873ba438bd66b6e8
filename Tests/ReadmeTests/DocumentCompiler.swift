import Foundation

/// The compiler, with the modules that the tests were built with.
struct DocumentCompiler: Sendable {
    private let folder: URL
    /// The directory with the build products of the tests.
    private let products: URL
    private let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A compiler that writes its files to a folder; `nil` if there are no modules.
    init?(in folder: URL) {
        self.folder = folder
        var place = Bundle.main.executableURL
        while let folder = place?.deletingLastPathComponent(), folder.path != "/" {
            let module = folder.appending(path: "Modules/JustPersistLMDB.swiftmodule")
            if FileManager.default.fileExists(atPath: module.path) {
                products = folder
                return
            }
            place = folder
        }
        return nil
    }

    /// Makes a module that documents can import, and returns the diagnostics of the compiler.
    func makeModule(_ name: String, of source: String) async throws -> String {
        let file = folder.appending(path: "\(name).swift")
        try Data(source.utf8).write(to: file)
        let module = folder.appending(path: "\(name).swiftmodule").path
        return try await compile(["-emit-module", "-module-name", name, "-o", module, file.path])
    }

    /// The diagnostics of the compiler for source files that are compiled with additional options.
    func diagnostics(ofFilesIn folder: String, _ options: [String]) async throws -> String {
        let place = package.appending(path: folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
            $0.hasSuffix(".swift")
        }
        let isScript = files.contains(DocumentedCode.Program.main.fileName)
        return try await compile(
            ["-typecheck", "-module-name", "Project"] + (isScript ? [] : ["-parse-as-library"])
                + options + files.map { place.appending(path: $0).path })
    }

    /// The diagnostics of the compiler for a document's code.
    func diagnostics(
        of code: DocumentedCode, _ options: [String] = []
    ) async throws -> String {
        let place = folder.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let file = place.appending(path: code.program.fileName)
        try Data(code.text.utf8).write(to: file)
        if code.program == .manifest {
            return try await run(["swift", "package", "--package-path", place.path, "dump-package"])
        }
        // Compiles as far as SIL, so that ownership and isolation are checked too.
        let arguments = ["-emit-sil", "-o", "/dev/null", "-module-name", "Documented", file.path]
        return try await compile(
            arguments + options + (code.program == .file ? ["-parse-as-library"] : []))
    }

    private func compile(_ arguments: [String]) async throws -> String {
        let plugin = "JustPersistMacrosPlugin"
        return try await run(
            [
                "swiftc", "-swift-version", "6", "-warnings-as-errors",
                "-I", products.appending(path: "Modules").path, "-I", folder.path,
                "-load-plugin-executable",
                products.appending(path: "\(plugin)-tool").path + "#\(plugin)",
                // Where Debian keeps the header of libpq.
                "-Xcc", "-I/usr/include/postgresql",
            ]
                + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + arguments)
    }

    /// The module maps of C modules: those of this package, and those of other packages.
    private var moduleMaps: [URL] {
        let own = ["CLMDB", "CLevelDB", "CPostgres", "CCSV", "CSQLite", "CZlib", "CZstd"].map {
            package.appending(path: "Sources/\($0)/module.modulemap")
        }
        // The products are in a folder of the build folder that is named after the platform.
        let build = products.resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let others = ["swift-system/Sources/CSystem", "FlyingFox/CSystemLinux"].map {
            build.appending(path: "checkouts/\($0)/include/module.modulemap")
        }
        return own + others.filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Runs a command, and returns its standard error.
    private func run(_ command: [String]) async throws -> String {
        let output = folder.appending(path: "\(UUID()).txt")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = try FileHandle(forWritingTo: output)
        process.standardOutput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        let diagnostics = try String(contentsOf: output, encoding: .utf8)
        if process.terminationStatus == 0 { return diagnostics }
        return "exit code \(process.terminationStatus)\n" + diagnostics
    }
}
