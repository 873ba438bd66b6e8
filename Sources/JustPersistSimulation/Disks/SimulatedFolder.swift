import Foundation

/// A directory whose files can be restored to their state at the death of a process.
final class SimulatedFolder {
    let url: URL
    /// The noted files by relative path; `nil` for a directory.
    private var files: [(path: String, data: Data?)]?

    private static let prefix = "JustPersistSimulation-"
    /// The parent of the directories: in memory if possible, because a run would otherwise wait for the machine's disk.
    private static let place: URL = {
        let shared = URL(filePath: "/dev/shm")
        let isShared = FileManager.default.isWritableFile(atPath: shared.path)
        let place = isShared ? shared : FileManager.default.temporaryDirectory
        removeLeftovers(in: place)
        return place
    }()

    /// Removes the directories of processes that were killed.
    private static func removeLeftovers(in place: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let number = name.dropFirst(prefix.count).prefix { $0 != "-" }
            guard let process = pid_t(number), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            try? FileManager.default.removeItem(at: place.appending(path: name))
        }
    }

    init() throws {
        let process = ProcessInfo.processInfo.processIdentifier
        url = Self.place.appending(path: "\(Self.prefix)\(process)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Notes the present files.
    func note() {
        // Sorting puts a directory before its contents.
        let paths = ((try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? [])
            .sorted()
        files = paths.map { ($0, try? Data(contentsOf: url.appending(path: $0))) }
    }

    /// Restores the noted files.
    func restore() throws {
        guard let files else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            try FileManager.default.removeItem(at: url.appending(path: name))
        }
        for (path, data) in files {
            let place = url.appending(path: path)
            if let data {
                try data.write(to: place)
            } else {
                try FileManager.default.createDirectory(
                    at: place, withIntermediateDirectories: true)
            }
        }
        self.files = nil
    }
}
