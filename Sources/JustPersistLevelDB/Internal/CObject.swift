/// Owns one object of the C library, and gives it back when it is let go.
@safe struct CObject: ~Copyable {
    let pointer: OpaquePointer
    private let destroy: @convention(c) (OpaquePointer?) -> Void

    init(_ pointer: OpaquePointer, destroyedBy destroy: @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.pointer = pointer
        unsafe self.destroy = destroy
    }

    deinit { unsafe destroy(pointer) }
}

extension Span<UInt8> {
    /// The bytes as LevelDB takes them, for the duration of `body`.
    func withCBytes<R: ~Copyable>(_ body: (UnsafePointer<CChar>?, Int) -> R) -> R {
        unsafe withUnsafeBytes { bytes in
            unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
    }
}

extension [UInt8] {
    /// Puts `count` bytes that LevelDB owns in the place of the first ones, and makes room if they need more.
    ///
    /// The array keeps its length otherwise: to change that costs more than to copy a key.
    mutating func overwrite(_ bytes: UnsafePointer<CChar>?, count: Int) {
        if self.count < count { self = [UInt8](repeating: 0, count: Swift.max(64, 2 * count)) }
        guard count > 0, let bytes = unsafe bytes else { return }
        // SAFETY: there is room for them, as was just seen to.
        unsafe withUnsafeMutableBytes { memory in
            unsafe memory.baseAddress?.copyMemory(from: bytes, byteCount: count)
        }
    }
}
