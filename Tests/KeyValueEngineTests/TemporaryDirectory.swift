import Foundation

/// A directory for one test, removed with all in it when it is let go.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A place inside it where nothing is yet.
    func place(_ name: String) -> URL { url.appending(path: name) }

    static func permissions(of url: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Leaves at `url` the files of an open store as they are, as if its process ended here; `close`
    /// closes the store.
    func crash(at url: URL, close: () -> Void) throws {
        let files = FileManager.default
        let image = place(UUID().uuidString)
        try files.copyItem(at: url, to: image)
        close()
        try files.removeItem(at: url)
        try files.moveItem(at: image, to: url)
    }
}
