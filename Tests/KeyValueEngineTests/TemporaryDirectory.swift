import Foundation

/// A directory for one test, which is removed with its contents when this object is released.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The URL of a name in the directory.
    func place(_ name: String) -> URL { url.appending(path: name) }

    static func permissions(of url: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Preserves the current files of an open store at `url`, as if its process ended here.
    ///
    /// `close` closes the store.
    func crash(at url: URL, close: () -> Void) throws {
        let files = FileManager.default
        let image = place(UUID().uuidString)
        try files.copyItem(at: url, to: image)
        close()
        try files.removeItem(at: url)
        try files.moveItem(at: image, to: url)
    }
}
