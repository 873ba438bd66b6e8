import Foundation
import Testing

/// The code in the README and in the articles compiles as it stands, without a warning.
@Suite struct DocumentedCodeTests {
    /// What the documents say that the reader has.
    private static let readersModule = """
        public import Foundation
        public import JustPersistMemory

        public typealias RocksEngine = InMemoryEngine

        public typealias RealmDataStore = InMemoryDataStore
        extension RecordStore where Engine == InMemoryEngine {
            public convenience init(at directory: URL) { self.init() }
        }
        """

    @Test func isFound() throws {
        let found = try DocumentedCode.all().map(\.description)
        #expect(found.contains("README.md, main"))
        #expect(found.contains("README.md, manifest"))
        #expect(found.contains { $0.hasSuffix("GettingStarted.md, main") })
        #expect(found.contains { $0.hasSuffix("ImplementingADataStore.md, file") })
    }

    // In one test, so that no more compilers run than there are processors.
    @Test func compiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "documents-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let compiler = try #require(DocumentCompiler(in: folder))
        let module = "JustPersistRealm"
        #expect(try await compiler.makeModule(module, of: Self.readersModule) == "")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, code) in try DocumentedCode.all().enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount { try await group.next() }
                group.addTask {
                    let diagnostics = try await compiler.diagnostics(of: code)
                    #expect(diagnostics == "", "\(code)")
                }
            }
            try await group.waitForAll()
        }
    }
}
