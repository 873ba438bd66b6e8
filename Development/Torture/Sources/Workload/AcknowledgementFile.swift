import Foundation

/// Where a probe leaves what became of each block: a file in shared memory, outside of the store.
///
/// An acknowledgement is one store to memory. No system call carries it, so no injected fault can touch it, and
/// it outlives the process that is killed right behind it.
public final class AcknowledgementFile: @unchecked Sendable {
    // Safe to share: the address is constant, and each byte has one writer at a time, the process that works.
    private let bytes: UnsafeMutableRawPointer
    /// The open file, if each fate is written with a system call too.
    private let traced: Int32?

    /// What became of a block.
    public enum Fate: UInt8, Sendable {
        /// It was never begun.
        case untried
        /// It was begun, and nothing was heard of it: it may be in the store or not.
        case begun
        /// The write call returned.
        case acknowledged
        /// The write call threw.
        case refused
        /// A fresh process looked, and it was not in the store.
        case absent
    }

    /// At most so many blocks have a place.
    public static let capacity = 1 << 16

    /// The file at a path, made with every block untried if it is not there.
    ///
    /// - Parameter isTraced: Whether each fate is also written by a `pwrite64` of one byte at the block's number, so that
    ///   the log of a tracer shows it in its place among the calls on the store.
    public init(_ path: String, isTraced: Bool = false) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, off_t(Self.capacity)) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        defer { if !isTraced { close(file) } }
        let address = mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let address, address != MAP_FAILED else { throw CocoaError(.fileReadUnknown) }
        bytes = address
        traced = isTraced ? file : nil
    }

    deinit {
        munmap(bytes, Self.capacity)
        if let traced { close(traced) }
    }

    /// The fate of a block.
    public subscript(block: Int) -> Fate {
        get { Fate(rawValue: bytes.load(fromByteOffset: block, as: UInt8.self)) ?? .untried }
        set {
            bytes.storeBytes(of: newValue.rawValue, toByteOffset: block, as: UInt8.self)
            if let traced { pwrite(traced, bytes + block, 1, off_t(block)) }
        }
    }

    /// The blocks of a fate.
    public func blocks(_ fates: Fate...) -> Set<Int> {
        Set((0..<Self.capacity).filter { fates.contains(self[$0]) })
    }

    /// How many blocks from the given one on were acknowledged, without a gap: a quick look at a file in use.
    public func acknowledged(from first: Int) -> Int {
        var last = first
        while last < Self.capacity, self[last] == .acknowledged { last += 1 }
        return last - first
    }
}
