/// Owns one object of the C library, and frees it at the end of its lifetime.
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
    /// Passes the bytes to `body` in LevelDB's form.
    func withCBytes<R: ~Copyable>(_ body: (UnsafePointer<CChar>?, Int) -> R) -> R {
        unsafe withUnsafeBytes { bytes in
            unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
    }
}

extension [UInt8] {
    /// Replaces the first bytes with `count` bytes that LevelDB owns, and makes room if they need more.
    ///
    /// Otherwise the array keeps its length, because changing it costs more than copying a key.
    mutating func overwrite(_ bytes: UnsafePointer<CChar>?, count: Int) {
        if self.count < count { self = [UInt8](repeating: 0, count: Swift.max(64, 2 * count)) }
        guard count > 0, let bytes = unsafe bytes else { return }
        // SAFETY: the array was just made long enough.
        unsafe withUnsafeMutableBytes { memory in
            unsafe memory.baseAddress?.copyMemory(from: bytes, byteCount: count)
        }
    }
}
