import Foundation

/// A directory whose files go back to what they were when a process died.
final class SimulatedFolder {
    let url: URL
    private var files: [String: Data]?

    init() throws {
        // In memory where there is such a place: a run would otherwise wait for the disk of the machine.
        let shared = URL(filePath: "/dev/shm")
        let isShared = FileManager.default.isWritableFile(atPath: shared.path)
        let place = isShared ? shared : FileManager.default.temporaryDirectory
        url = place.appending(path: "JustPersistSimulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Notes what there is.
    func note() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        files = [:]
        for name in names { files?[name] = try? Data(contentsOf: url.appending(path: name)) }
    }

    /// Makes that the content again.
    func restore() throws {
        guard let files else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            try FileManager.default.removeItem(at: url.appending(path: name))
        }
        for (name, data) in files { try data.write(to: url.appending(path: name)) }
        self.files = nil
    }
}
