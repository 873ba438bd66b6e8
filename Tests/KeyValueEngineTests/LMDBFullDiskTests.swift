#if os(Linux)
    import Foundation
    import JustPersist
    import JustPersistLMDB
    import JustPersistRecords
    import Testing

    /// A disk that is full when a process opens a store.
    @Suite(.enabled(if: SmallDisk.isAvailable, "no file system can be mounted"))
    struct LMDBFullDiskTests {
        private let temporary: TemporaryDirectory

        init() throws { temporary = try TemporaryDirectory() }

        private func openedAndClosed(in place: URL) throws -> LMDBEngine {
            let engine = LMDBEngine(at: place)
            try engine.open()
            try engine.put([1], [1])
            engine.close()
            return engine
        }

        private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
            (#expect(throws: DataStoreError.self) { try body() })?.code
        }

        /// Runs that many read blocks, each inside the one before.
        private static func read(_ engine: LMDBEngine, depth: Int) throws {
            guard depth > 0 else { return }
            try engine.read { _ in try read(engine, depth: depth - 1) }
        }

        @Test func aStoreIsOpenedAndReadByManyOnAFullDisk() throws {
            let disk = try SmallDisk(megabytes: 2, at: temporary.place("disk"))
            defer { disk.end() }
            let engine = try openedAndClosed(in: disk.url.appending(path: "store"))
            try disk.fill()
            try engine.open()
            #expect(try engine.value([1]) == [1])
            // Each has its slot in the lock file.
            try Self.read(engine, depth: 500)
            engine.close()
        }

        /// LMDB writes its lock file through memory, which ended the process.
        @Test func aCopyWithoutALockFileIsRefusedOnAFullDisk() throws {
            let disk = try SmallDisk(megabytes: 2, at: temporary.place("disk"))
            defer { disk.end() }
            let place = disk.url.appending(path: "store")
            let engine = try openedAndClosed(in: place)
            try FileManager.default.removeItem(at: place.appending(path: "lock.mdb"))
            try disk.fill()
            for isReadOnly in [true, false] {
                let opened = LMDBEngine(
                    at: place, configuration: LMDBConfiguration(isReadOnly: isReadOnly))
                let error = #expect(throws: DataStoreError.self) { try opened.open() }
                #expect(error?.code == .storageFull)
                #expect(error?.message.contains("Free some space") == true)
            }
            try disk.free()
            try engine.open()
            #expect(try engine.value([1]) == [1])
            engine.close()
        }

        @Test func theLockFileIsNotLongerThanItsReadersNeed() throws {
            let place = temporary.place("store")
            for readers in [1, 2, 100] {
                let engine = LMDBEngine(
                    at: place, configuration: LMDBConfiguration(maximumReaders: readers))
                try engine.open()
                try engine.put([1], [1])
                #expect(code { try Self.read(engine, depth: readers + 1) } == .limitExceeded)
                engine.close()
                try engine.destroy()
            }
        }
    }
#endif
