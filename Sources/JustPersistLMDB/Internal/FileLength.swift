import Synchronization

/// How long an open file is, which only grows.
final class FileLength: Sendable {
    private let descriptor: Int32
    private let known = Atomic<UInt>(0)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The length that was met last.
    var knownLength: UInt { known.load(ordering: .relaxed) }

    /// Whether the file has so many bytes; true if the system does not tell.
    func reaches(_ end: UInt) -> Bool {
        if end <= known.load(ordering: .relaxed) { return true }
        guard let length = FileNumber.length(descriptor: descriptor) else { return true }
        known.store(length, ordering: .relaxed)
        return end <= length
    }
}
