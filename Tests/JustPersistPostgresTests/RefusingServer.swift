import Foundation
import JustPersist
import Testing

/// A server that refuses each connection with one error report.
final class RefusingServer: Sendable {
    let directory: String
    private let listener: Int32

    /// - Parameter fields: The fields of the report, each of which ends with a NUL.
    init(_ fields: String) throws {
        directory = "/tmp/jp-refusing-" + UUID().uuidString.prefix(8)
        listener = try Proxy.listen(in: directory)
        let fields = Array(fields.utf8) + [0]
        let length = UInt32(fields.count + 4)
        let report =
            [UInt8(ascii: "E")] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            + fields
        Thread { [listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // Not before: the number could be that of another test's socket by now.
                    close(listener)
                    return
                }
                var request = [UInt8](repeating: 0, count: 1 << 12)
                _ = unsafe read(client, &request, request.count)
                _ = unsafe send(client, report, report.count, Int32(MSG_NOSIGNAL))
                close(client)
            }
        }.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: directory)
    }
}
