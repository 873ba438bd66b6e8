import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Clause 6: what survives the death of the process.
///
/// The child of each test is another process of this program.
@Suite struct DurabilityTests {
    @Test(arguments: Backend.persistent)
    func acknowledgedWritesSurviveAKill(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            for round in 1...2 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        backend = backend as Backend, directory = directory as URL,
                        round = round as Int
                    ] in
                    let store = backend.make(at: directory)
                    try store.open()
                    for index in 0..<10 { try store.fill(["\(round).\(index)"]) }
                    let done = DispatchSemaphore(value: 0)
                    store.writeAsync { db in
                        db.createItem(ofMutableType: Restaurant.self)?
                            .setValue("\(round).async", forKeyPath: "name")
                    } completion: {
                        done.signal()
                    }
                    done.wait()
                    kill(getpid(), SIGKILL)
                }
                let store = backend.make(at: directory)
                try store.open()
                let expected = (1...round).flatMap { round in
                    (0..<10).map { "\(round).\($0)" } + ["\(round).async"]
                }
                try #expect(store.names() == expected)
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func killInsideABlockLeavesNothingOfIt(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a", "b"])
            try store.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [backend = backend as Backend, directory = directory as URL] in
                let store = backend.make(at: directory)
                try store.open()
                try await store.write { db in
                    try #require(try db.first(Restaurant.self)).name = "changed"
                    for _ in 0..<1000 { try db.create(Restaurant.self).value = .string("new") }
                    try db.create(RestaurantOwner.self).name = "a new type"
                    _ = try db.count(Restaurant.self)
                    try db.delete(db.items(Restaurant.self)[1])
                    kill(getpid(), SIGKILL)
                }
            }
            try store.open()
            try #expect(store.names() == ["a", "b"])
            let types = try await store.read { db in try db.schemas().count }
            #expect(types == 1)
            try expectSound(store)
            try store.fill(["c"])
            try #expect(store.names() == ["a", "b", "c"])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func killAnyTimeLeavesWholeBlocksInOrder(_ backend: Backend) async throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let log = directory.appending(path: "acknowledged")
            let place = directory.appending(path: "store")
            var first = 0
            for _ in 0..<3 {
                // The killer counts acknowledgements, so that the kill comes in the midst of the work.
                let target = generator.int(in: 3..<25)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        backend = backend as Backend, place = place as URL, log = log as URL,
                        first = first as Int, target = target as Int
                    ] in
                    try Data().write(to: log)
                    let store = backend.make(at: place)
                    try store.open()
                    let file = try FileHandle(forWritingTo: log)
                    let isTime = DispatchSemaphore(value: 0)
                    Thread {
                        for _ in 0..<target { isTime.wait() }
                        kill(getpid(), SIGKILL)
                    }.start()
                    for group in first... {
                        try await store.write { db in
                            for _ in 0..<3 { try db.create(Restaurant.self).stars = group }
                        }
                        try file.write(contentsOf: Data([1]))
                        isTime.signal()
                    }
                }
                let acknowledged = first + (try Data(contentsOf: log)).count
                let store = backend.make(at: place)
                try store.open()
                let stars = try await store.read { db in try db.items(Restaurant.self).map(\.stars)
                }
                let groups = stars.count / 3
                #expect(groups == acknowledged || groups == acknowledged + 1)
                #expect(stars == (0..<groups).flatMap { [$0, $0, $0] })
                try expectSound(store)
                try store.close()
                first = groups
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func killInTheMidstOfDeletingLeavesAllOrNothing(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill((0..<2000).map { "\($0)" })
            try store.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [backend = backend as Backend, directory = directory as URL] in
                let store = backend.make(at: directory)
                try store.open()
                Thread { kill(getpid(), SIGKILL) }.start()
                while true { try await store.write { db in try db.deleteAll(Restaurant.self) } }
            }
            try store.open()
            let count = try store.names().count
            #expect(count == 0 || count == 2000)
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func storeOfAnotherProcessIsReadHere(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            await #expect(processExitsWith: .success) {
                [backend = backend as Backend, directory = directory as URL] in
                let store = backend.make(at: directory)
                try store.open()
                try store.fill(["a"])
                try store.close()
            }
            let store = backend.make(at: directory)
            try store.open()
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }
}
