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
    /// Replaces the content with `count` bytes that LevelDB owns, keeping the memory.
    mutating func assign(_ bytes: UnsafePointer<CChar>?, count: Int) {
        removeAll(keepingCapacity: true)
        unsafe append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
