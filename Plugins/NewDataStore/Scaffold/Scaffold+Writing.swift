import Foundation

extension Scaffold {
    /// A file to be written.
    struct File {
        let name: String
        let text: String
    }

    /// Writes the files, all or none, and says what to do next.
    ///
    /// Nothing that exists is touched.
    func write(into package: PackageOutline) throws(ScaffoldError) -> String {
        let files =
            try files(sources, in: target, below: "Sources", of: package)
            + files([conformanceTest], in: testTarget, below: "Tests", of: package)
        let existing = files.filter { FileManager.default.fileExists(atPath: $0.place.path) }
        guard existing.isEmpty else {
            let paths = existing.map { package.relativePath(of: $0.place) }
            throw ScaffoldError(
                """
                Nothing was written, for these files exist already: \
                \(paths.joined(separator: ", ")). Move them away, or choose another name or target.
                """)
        }
        var written: [URL] = []
        do {
            for (place, text) in files {
                try FileManager.default.createDirectory(
                    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: place, options: .withoutOverwriting)
                written.append(place)
            }
        } catch {
            for place in written { try? FileManager.default.removeItem(at: place) }
            throw ScaffoldError(
                "Nothing was written: \(error.localizedDescription) See to it, and try again.")
        }
        let paths = written.map { "  " + package.relativePath(of: $0) }.joined(separator: "\n")
        return "Wrote\n\(paths)\n\nPackage.swift: " + nextSteps(in: package)
    }

    private func files(
        _ files: [File], in target: String, below folder: String, of package: PackageOutline
    ) throws(ScaffoldError) -> [(place: URL, text: String)] {
        let directory: URL
        if let existing = package.target(named: target) {
            directory = existing.directory
        } else {
            guard !package.foreignModules.contains(target) else {
                throw ScaffoldError(
                    """
                    A package that this one depends on has a module “\(target)” already. Name another \
                    with --target.
                    """)
            }
            directory = package.directory.appending(path: folder).appending(path: target)
            let path = directory.standardizedFileURL.path
            let owner = package.targets.first {
                path.hasPrefix($0.directory.standardizedFileURL.path + "/")
            }
            if let owner {
                throw ScaffoldError(
                    """
                    \(package.relativePath(of: directory)) would lie inside the target \
                    “\(owner.name)”. Give that target a folder of its own, or go into it: \
                    --target \(owner.name).
                    """)
            }
        }
        return files.map { (directory.appending(path: $0.name), $0.text + "\n") }
    }
}
