import Foundation

/// A package that a scaffold is written into; its files are removed when it is released.
final class TemporaryPackage {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// The package as the plugin sees it, with targets in their usual places.
    func outline(
        _ targets: [String: Set<String>] = [:], justPersist: String? = "JustPersist"
    ) -> PackageOutline {
        PackageOutline(
            directory: directory,
            targets: targets.map { name, dependencies in
                let folder = name.hasSuffix("Tests") ? "Tests" : "Sources"
                return PackageOutline.Target(
                    name: name, directory: directory.appending(path: "\(folder)/\(name)"),
                    dependencies: dependencies)
            },
            foreignModules: ["JustPersistLMDB"], justPersist: justPersist)
    }

    /// All files, sorted by path.
    var files: [String] {
        (FileManager.default.enumerator(atPath: directory.path)?.allObjects ?? [])
            .compactMap { $0 as? String }.filter { $0.contains(".") }.sorted()
    }

    func write(_ text: String, to path: String) throws {
        let file = directory.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: directory.appending(path: path)), as: UTF8.self)
    }
}
