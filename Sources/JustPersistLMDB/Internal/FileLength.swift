import Synchronization

/// The length of an open file, which only grows.
final class FileLength: Sendable {
    private let descriptor: Int32
    private let known = Atomic<UInt>(0)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The last known length.
    var knownLength: UInt { known.load(ordering: .relaxed) }

    /// Whether the file has at least that many bytes; true if the system does not report its length.
    func reaches(_ end: UInt) -> Bool {
        if end <= known.load(ordering: .relaxed) { return true }
        guard let length = FileNumber.length(descriptor: descriptor) else { return true }
        known.store(length, ordering: .relaxed)
        return end <= length
    }
}
