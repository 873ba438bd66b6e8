import Foundation
import JustPersist
import Testing

/// What becomes of queued blocks when the program ends.
@Suite struct ExitTests {
    @Test(arguments: Backend.persistent)
    func exitLosesQueuedBlocks(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [backend = backend as Backend, directory = directory as URL] in
                _ = try queue(200, backend, directory) { _ in }
                exit(0)
            }
            #expect(result?.messages == [])
            try expectNames((0..<200).map { "\($0)" }, backend, directory)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func exitLosesCompletions(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [backend = backend as Backend, directory = directory as URL] in
                _ = try queue(50, backend, directory) { number in
                    FileHandle.standardError.write(Data("JustPersist: \(number)\n".utf8))
                }
                exit(0)
            }
            #expect(result?.messages == (0..<50).map { "JustPersist: \($0)" })
        }
    }

    /// The main thread waits at the exit, and a completion needs it.
    @Test(arguments: Backend.ofRecords)
    func exitLosesCompletionsThatReadOnTheMainThread(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [backend = backend as Backend, directory = directory as URL] in
                DispatchQueue.main.async {
                    let store = backend.make(at: directory, threading: .mainThread)
                    store.setup()
                    for number in 0..<20 {
                        store.writeAsync { _ in
                        } completion: {
                            store.read { _ in }
                            FileHandle.standardError.write(Data("JustPersist: \(number)\n".utf8))
                        }
                    }
                    exit(0)
                }
                while true { sleep(1) }
            }
            #expect(result?.messages == (0..<20).map { "JustPersist: \($0)" })
        }
    }

    @Test(arguments: Backend.persistent)
    func exitInACompletionLosesQueuedBlocks(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [backend = backend as Backend, directory = directory as URL] in
                _ = try queue(100, backend, directory) { _ in exit(0) }
                while true { sleep(1) }
            }
            #expect(result?.messages == [])
            try expectNames((0..<100).map { "\($0)" }, backend, directory)
        }
    }

    /// The block that calls it cannot end, and neither can those after it.
    @Test(arguments: Backend.persistent, [true, false])
    func exitInAWriteBlockHangs(_ backend: Backend, isQueued: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                [
                    backend = backend as Backend, directory = directory as URL,
                    isQueued = isQueued as Bool
                ] in
                let store = try queue(0, backend, directory) { _ in }
                try store.fill(["a"])
                @Sendable func end() {
                    for _ in 0..<3 { store.writeAsync { _ in } }
                    exit(0)
                }
                if isQueued {
                    store.writeAsync { _ in end() }
                    while true { sleep(1) }
                } else {
                    store.writeSync { _ in end() }
                }
            }
            let message = try #require(result?.messages.first)
            // The queued block that calls it is lost as well.
            #expect(message.contains("\(isQueued ? 4 : 3) queued write blocks"))
            #expect(message.contains(directory.lastPathComponent))
            #expect(result?.messages.count == 1)
            try expectNames(["a"], backend, directory)
        }
    }

    private func expectNames(_ names: [String], _ backend: Backend, _ directory: URL) throws {
        let store = backend.make(at: directory)
        try store.open()
        let found = try store.names()
        #expect(found == names)
        try expectSound(store)
        try store.close()
    }
}

/// Opens a store, and queues blocks, each of which creates an item and takes a while.
private func queue(
    _ count: Int, _ backend: Backend, _ directory: URL,
    completion: @escaping @Sendable (Int) -> Void
) throws -> any DataStore {
    let store = backend.make(at: directory)
    try store.open()
    for number in 0..<count {
        store.writeAsync { db in
            usleep(1000)
            try db.create(Restaurant.self).name = "\(number)"
        } completion: { _ in
            completion(number)
        }
    }
    return store
}

extension ExitTest.Result {
    /// The lines on standard error that are JustPersist's.
    fileprivate var messages: [String] {
        String(decoding: standardErrorContent, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("JustPersist: ") }.map(String.init)
    }
}
