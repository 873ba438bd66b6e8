import Foundation

/// What a scaffold has to know of the package it is written into.
struct PackageOutline {
    /// A target that the manifest declares.
    struct Target {
        var name: String
        var directory: URL
        /// The names of the targets and products that it depends on.
        var dependencies: Set<String>
    }

    var directory: URL
    var targets: [Target]
    /// The modules of the packages it depends on, which no target of its own can be named after.
    var foreignModules: Set<String> = []
    /// How the manifest names the package that JustPersist comes in; `nil` if it is that package.
    var justPersist: String?

    func target(named name: String) -> Target? { targets.first { $0.name == name } }

    /// A path as seen from the package.
    func relativePath(of url: URL) -> String {
        let root = directory.standardizedFileURL.path + "/"
        let path = url.standardizedFileURL.path
        return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }
}
