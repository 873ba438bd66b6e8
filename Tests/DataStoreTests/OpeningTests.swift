import Foundation
import JustPersist
import Testing

/// Opening and closing without waiting on the calling thread.
@Suite struct OpeningTests {
    @Test(arguments: Backend.allCases)
    func aStoreIsOpenedAndClosedOnAnotherThread(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try await store.openAsync()
            try await store.openAsync()
            let types = try await store.read { db in try db.schemas().count }
            #expect(types == 0)
            try await store.closeAsync()
            try await store.closeAsync()
            expectError(.notSetUp) { try store.performRead { _ in } }
            // The synchronous form stays reachable here, and is one.
            try store.open()
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func whatIsNoStoreIsThrown(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            try Data("notes".utf8).write(to: directory.appending(path: "notes.txt"))
            let errors = ErrorLog()
            let store = backend.make(at: directory, errors: errors)
            await #expect(throws: DataStoreError.self) { try await store.openAsync() }
            let code = await withCheckedContinuation { continuation in
                store.openAsync { error in
                    continuation.resume(returning: (error as? DataStoreError)?.code)
                }
            }
            #expect(code == .notAStore)
            #expect(errors.all.isEmpty)
        }
    }

    @Test func aCancelledTaskOpensNothing() async throws {
        let store = Backend.memory.make(at: URL(filePath: "/"))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.openAsync()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectError(.notSetUp) { try store.performRead { _ in } }
    }

    @Test(arguments: Backend.allCases)
    func theCompletionComesWhenTheStoreIsOpen(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            let isOpen = await withCheckedContinuation { continuation in
                store.openAsync { error in
                    let isOpen = error == nil && (try? store.performRead { _ in }) != nil
                    continuation.resume(returning: isOpen)
                }
            }
            #expect(isOpen)
            try await store.closeAsync()
        }
    }
}
