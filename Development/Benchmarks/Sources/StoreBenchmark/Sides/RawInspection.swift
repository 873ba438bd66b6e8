import Foundation

/// The layout of an inspection in the raw engines: inspected, score, the inspector.
enum RawInspection {
    private static let scoreOffset = 8
    private static let inspectorOffset = 16

    static func encode(
        _ inspection: Inspection, into buffer: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        buffer.storeBytes(
            of: inspection.inspected.timeIntervalSinceReferenceDate, as: Double.self)
        buffer.storeBytes(of: inspection.score, toByteOffset: scoreOffset, as: Int.self)
        UnsafeMutableRawBufferPointer(rebasing: buffer[inspectorOffset...])
            .copyBytes(from: inspection.inspector.utf8)
        let end = inspectorOffset + inspection.inspector.utf8.count
        return UnsafeMutableRawBufferPointer(rebasing: buffer[..<end])
    }

    static func score(in bytes: UnsafeRawBufferPointer) -> Int {
        bytes.loadUnaligned(fromByteOffset: scoreOffset, as: Int.self)
    }
}
