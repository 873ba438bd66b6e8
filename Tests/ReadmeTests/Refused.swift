import Foundation
import Testing

/// Code, and a part of the compiler's diagnostics for it.
struct Refused: Sendable {
    private let code: DocumentedCode
    /// The expected diagnostic; empty for code that compiles.
    private let diagnostic: String
    private let options: [String]

    /// Code for the body of a function.
    init(_ description: String, _ code: String, _ diagnostic: String) {
        self.init(
            description, of: .file,
            """
            @Item final class Restaurant {
                var name: String?
                var stars: Int = 0
                var owner: ItemReference?
            }

            func use(_ store: any DataStore) async throws {
            \(code)
            }
            """, diagnostic)
    }

    /// Code for the body of a function that compiles.
    init(accepted description: String, _ code: String) { self.init(description, code, "") }

    /// Code for a file.
    init(
        _ description: String, of program: DocumentedCode.Program, _ code: String,
        _ diagnostic: String, options: [String] = []
    ) {
        self.code = DocumentedCode(
            document: description, program: program,
            text: """
                import Foundation
                import JustPersist
                import JustPersistMacros
                import JustPersistMemory

                \(code)
                """)
        self.diagnostic = diagnostic
        self.options = options
    }

    /// Compiles the code, as many files at a time as there are processors.
    static func check(_ examined: [Refused]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refused-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let compiler = try #require(DocumentCompiler(in: folder))
        // The surrounding code must compile, so that each refusal has only its own reason.
        let plain = Refused(
            accepted: "nothing", "print(try store.readSync { db in try db.count(Restaurant.self) })"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, refused) in ([plain] + examined).enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount { try await group.next() }
                group.addTask {
                    let diagnostics = try await compiler.diagnostics(
                        of: refused.code, refused.options)
                    let isAsExpected =
                        refused.diagnostic.isEmpty
                        ? diagnostics.isEmpty : diagnostics.contains(refused.diagnostic)
                    #expect(isAsExpected, "\(refused.code.document): \(diagnostics)")
                }
            }
            try await group.waitForAll()
        }
    }
}
