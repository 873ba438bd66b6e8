#if os(Linux)
    import Foundation
    import JustPersist
    import JustPersistLevelDB
    import JustPersistRecords
    import Testing

    /// Failed writes and killed processes, each in a child process, for it limits or ends that.
    @Suite struct LevelDBFailureTests {
        private let temporary: TemporaryDirectory
        private let url: URL

        init() throws {
            temporary = try TemporaryDirectory()
            url = temporary.place("store")
        }

        @Test func writesAfterAFailedOneAreNotLost() async throws {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                let model = try FullDisk.fill(engine)
                #expect(try engine.pairs() == model.pairs(), "reads go on")
                try FullDisk.expectWritesLast(engine, model)
            }
            // And in another process, where no memory of it is left.
            let engine = LevelDBEngine(at: url)
            try engine.open()
            defer { engine.close() }
            #expect(engine.recoveryReport == nil)
            #expect(try engine.value([0xEE, 199]) == [199])
        }

        @Test func writeAfterAFailedOneDoesNotWaitForAReaderThatWaitsForIt() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                var model = try FullDisk.fill(engine)
                FullDisk.end()

                func expectRefusal() {
                    let error = #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                    #expect(error?.code == .storageFailure)
                    #expect(error?.message.contains("Repeat the call when") == true)
                }
                try engine.read { reader throws in
                    expectRefusal()
                    #expect(try reader.pairs() == model.pairs())
                }

                let isReading = DispatchSemaphore(value: 0)
                let mayEnd = DispatchSemaphore(value: 0)
                let hasEnded = DispatchSemaphore(value: 0)
                let expected = model
                let reader = Thread {
                    do {
                        try engine.read { reader throws in
                            isReading.signal()
                            mayEnd.wait()
                            // On the handle that is to be closed, and free to begin another block.
                            #expect(try reader.pairs() == expected.pairs())
                            #expect(try engine.pairs() == expected.pairs())
                        }
                    } catch {
                        Issue.record(error)
                    }
                    hasEnded.signal()
                }
                reader.start()
                isReading.wait()
                // The reader may be about to write, and would then wait for this thread.
                expectRefusal()
                mayEnd.signal()
                hasEnded.wait()
                try engine.put([1], [1])
                model.entries[[1]] = [1]
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        /// The main thread waited for a reader that waited for the main thread, and then for itself.
        @Test func aMainThreadThatOpensTheDatabaseAgainReadsForOthers() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                _ = try FullDisk.fill(engine)
                FullDisk.end()
                try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Void, any Error>) in
                    DispatchQueue.main.async {
                        let isReading = DispatchSemaphore(value: 0)
                        Thread {
                            do {
                                try engine.read { _ in
                                    isReading.signal()
                                    // By now the main thread waits.
                                    usleep(50_000)
                                    try MainQueue.run { _ = try engine.pairs() }
                                }
                            } catch {
                                Issue.record(error)
                            }
                        }.start()
                        isReading.wait()
                        continuation.resume(with: Result { try engine.put([1], [1]) })
                    }
                }
                #expect(try engine.value([1]) == [1])
            }
        }

        /// Nothing held new readers back, so there was always one inside.
        @Test func writeAfterAFailedOneComesBetweenOverlappingReaders() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                var model = try FullDisk.fill(engine)
                FullDisk.end()
                let hasEnded = DispatchSemaphore(value: 0)
                let isReading = DispatchSemaphore(value: 0)
                let goesOn = Locked(true)
                let threads = 6
                for _ in 0..<threads {
                    Thread {
                        do {
                            while goesOn.withLock({ $0 }) {
                                try engine.read { reader throws in
                                    usleep(5_000)
                                    // Inside, so it need not wait for the writer that waits for it.
                                    let found = try engine.value([2, 0, 0])
                                    #expect(try found == reader.value([2, 0, 0]))
                                    usleep(5_000)
                                }
                                isReading.signal()
                            }
                        } catch {
                            Issue.record(error)
                        }
                        hasEnded.signal()
                    }.start()
                    usleep(1_500)
                }
                for _ in 0..<threads { isReading.wait() }
                try engine.put([1], [1])
                goesOn.withLock { $0 = false }
                for _ in 0..<threads { hasEnded.wait() }
                model.entries[[1]] = [1]
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        @Test func storeThatCannotBeReopenedSaysSoUntilItCan() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                let model = try FullDisk.fill(engine)
                FullDisk.end()
                let failing = try FailingSystemCalls(
                    "openat:error=EIO", at: URL(filePath: path).appending(path: "LOCK"))
                for _ in 0..<3 {
                    #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                    #expect(throws: DataStoreError.self) { try engine.pairs() }
                }
                failing.end()
                #expect(try engine.pairs() == model.pairs())
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        /// The disk had room, so the database was closed, and could not be opened.
        @Test func readingGoesOnWhereALimitOnTheSizeOfFilesLeavesNoRoom() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                let model = try FullDisk.fill(engine)
                for limit in [0, 16, 4 << 10] as [UInt] {
                    FullDisk.begin(limit: limit)
                    let error = #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                    #expect(error?.code == .storageFull)
                    #expect(error?.message.contains("limit on the size of files") == true)
                    #expect(try engine.pairs() == model.pairs())
                }
                FullDisk.end()
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        /// A quota is not seen in the room that the disk has.
        @Test func readingGoesOnWhereAQuotaLeavesNoRoom() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                let model = try FullDisk.fill(engine)
                FullDisk.end()
                let failing = try FailingSystemCalls(
                    "fallocate:error=EDQUOT", at: URL(filePath: path).appending(path: "room.dbtmp"))
                let error = #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                #expect(error?.code == .storageFull)
                #expect(try engine.pairs() == model.pairs())
                failing.end()
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        /// LevelDB reports to the next write that it could not make a table, and that write was refused though there
        /// was room.
        @Test func mergeThatMetAFullDiskRefusesNoWriteOnceThereIsRoom() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let url = URL(filePath: path)
                let engine = LevelDBEngine(
                    at: url, configuration: LevelDBConfiguration(writeBufferSize: 64 << 10))
                try engine.open()
                func logs() throws -> [UInt64] {
                    try FileManager.default.contentsOfDirectory(atPath: path)
                        .filter { $0.hasSuffix(".log") }.compactMap { UInt64($0.dropLast(4)) }
                }
                let first = try #require(logs().max())
                // The next log comes before the table that the first one is sorted into.
                let table = String(format: "%06d.ldb", Int(first) + 2)
                let failing = try FailingSystemCalls(
                    "openat:error=ENOSPC", at: url.appending(path: table))
                var number: UInt8 = 0
                while try logs().max() == first {
                    try engine.put([number], [UInt8](repeating: number, count: 8 << 10))
                    number += 1
                }
                let messages = url.appending(path: "LOG")
                while try !String(contentsOf: messages, encoding: .utf8).contains("No space left") {
                    usleep(1_000)
                }
                failing.end()
                try engine.put([0xFF], [1])
                #expect(try engine.pairs().count == Int(number) + 1)
                engine.close()
                try engine.open()
                #expect(try engine.pairs().count == Int(number) + 1)
                engine.close()
            }
        }

        /// LevelDB took the store for open until the process ended.
        @Test func lockThatCannotBeGivenUpKeepsNoStoreClosed() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let url = URL(filePath: path)
                let engine = LevelDBEngine(at: url)
                for number in 0..<4 as Range<UInt8> {
                    try engine.open()
                    try engine.put([number], [number])
                    let failing = try FailingSystemCalls(
                        "fcntl:error=ENOLCK:when=\(number + 1)", at: url.appending(path: "LOCK"))
                    engine.close()
                    failing.end()
                }
                try engine.open()
                #expect(try engine.pairs().count == 4)
                // Still one at a time.
                let other = LevelDBEngine(at: url.appending(path: "."))
                let error = #expect(throws: DataStoreError.self) { try other.open() }
                #expect(error?.code == .alreadyOpen)
                // Also for other processes, such as a child that locks the file itself.
                let child = Foundation.fork()
                if child == 0 {
                    var lock = flock()
                    lock.l_type = Int16(F_WRLCK)
                    let file = unsafe Foundation.open(path + "/LOCK", O_RDWR)
                    _exit(unsafe fcntl(file, F_SETLK, &lock) == 0 ? 1 : 0)
                }
                var status: Int32 = -1
                unsafe waitpid(child, &status, 0)
                #expect(status == 0)
                engine.close()
                // LevelDB loses the objects of locks that it could not give up, which would be reported as leaks.
                _exit(EXIT_SUCCESS)
            }
        }

        @Test func closingAfterAFailedWriteKeepsWhatSucceeded() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                let model = try FullDisk.fill(engine)
                engine.close()
                FullDisk.end()
                try engine.open()
                #expect(try engine.pairs() == model.pairs())
                try FullDisk.expectWritesLast(engine, model)
            }
        }

        @Test(arguments: Durability.allCases)
        func killedProcessLosesNothingAcknowledged(_ durability: Durability) async throws {
            let configuration = LevelDBConfiguration(
                durability: durability, writeBufferSize: 64 << 10)
            let journal = temporary.place("journal")
            // What was found once has to stay, whether the process that wrote it came to say so or not.
            var acknowledged = 0
            for round in 0..<4 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = url.path as String, journal = journal.path as String,
                        durability = durability as Durability
                    ] in
                    let engine = LevelDBEngine(
                        at: URL(filePath: path),
                        configuration: LevelDBConfiguration(
                            durability: durability, writeBufferSize: 64 << 10))
                    try engine.open()
                    let first = try engine.pairs(KeyRange(prefix: [1])).count
                    DispatchQueue.global().asyncAfter(
                        deadline: .now() + .milliseconds(.random(in: 5...150))
                    ) { kill(getpid(), SIGKILL) }
                    try Data().write(to: URL(filePath: journal))
                    let file = try FileHandle(forWritingTo: URL(filePath: journal))
                    for number in first... {
                        try engine.write { writer throws in
                            for part in [1, 2] as [UInt8] {
                                try writer.put(
                                    [part] + Self.bytes(number),
                                    [UInt8](repeating: part, count: number % 3_000))
                            }
                        }
                        try file.seek(toOffset: 0)
                        try file.write(contentsOf: Data(Self.bytes(number + 1)))
                    }
                }
                let count = try [UInt8](Data(contentsOf: journal))
                    .reduce(0) { $0 << 8 | Int($1) }
                acknowledged = max(acknowledged, count)
                let engine = LevelDBEngine(at: url, configuration: configuration)
                try engine.open()
                #expect(engine.recoveryReport == nil, "round \(round)")
                let first = try engine.pairs(KeyRange(prefix: [1])).map { $0.key.dropFirst() }
                let second = try engine.pairs(KeyRange(prefix: [2])).map { $0.key.dropFirst() }
                #expect(first == second, "round \(round)")
                #expect(first.count >= acknowledged, "round \(round)")
                #expect(first.count <= acknowledged + 1, "round \(round)")
                acknowledged = first.count
                engine.close()
            }
            #expect(acknowledged > 0)
        }

        static func bytes(_ number: Int) -> [UInt8] {
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
    }
#endif
