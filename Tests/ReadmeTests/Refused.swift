import Foundation
import Testing

/// Code for the body of a function, and a part of what the compiler says of it.
struct Refused: Sendable {
    let description: String
    let code: String
    /// Empty for code that compiles.
    let diagnostic: String

    init(_ description: String, _ code: String, _ diagnostic: String) {
        self.description = description
        self.code = code
        self.diagnostic = diagnostic
    }

    /// Code that compiles.
    init(accepted description: String, _ code: String) { self.init(description, code, "") }

    private var program: DocumentedCode {
        DocumentedCode(
            document: description, program: .file,
            text: """
                import Foundation
                import JustPersist
                import JustPersistMacros
                import JustPersistMemory

                @Item final class Restaurant {
                    var name: String?
                    var stars: Int = 0
                    var owner: ItemReference?
                }

                func use(_ store: any DataStore) async throws {
                \(code)
                }
                """)
    }

    /// Compiles each, as many at a time as there are processors.
    static func check(_ examined: [Refused]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refused-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let compiler = try #require(DocumentCompiler(in: folder))
        // What is refused is refused for its reason alone.
        let plain = Refused(
            accepted: "nothing", "print(try store.readSync { db in try db.count(Restaurant.self) })"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, refused) in ([plain] + examined).enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount { try await group.next() }
                group.addTask {
                    let diagnostics = try await compiler.diagnostics(of: refused.program)
                    let isAsExpected =
                        refused.diagnostic.isEmpty
                        ? diagnostics.isEmpty : diagnostics.contains(refused.diagnostic)
                    #expect(isAsExpected, "\(refused.description): \(diagnostics)")
                }
            }
            try await group.waitForAll()
        }
    }
}
