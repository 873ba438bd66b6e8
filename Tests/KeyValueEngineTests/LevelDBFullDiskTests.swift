#if os(Linux)
    import Foundation
    import JustPersist
    import JustPersistLevelDB
    import JustPersistRecords
    import Testing

    /// A disk that is full, and one on which there is room again.
    @Suite(
        .enabled(
            if: SmallDisk.isAvailable,
            "no file system can be mounted; LevelDBFailureTests limits the size of files instead"))
    struct LevelDBFullDiskTests {
        private let temporary: TemporaryDirectory

        init() throws { temporary = try TemporaryDirectory() }

        private static let configuration = LevelDBConfiguration(
            durability: .relaxed, writeBufferSize: 256 << 10)

        /// Spread over all keys, so that tables overlap.
        private static func key(_ number: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: number &* 167), UInt8(truncatingIfNeeded: number >> 4)]
        }

        private static func fill(
            _ engine: LevelDBEngine, _ model: inout KeyValueModel, _ numbers: Range<Int>
        ) throws {
            for number in numbers {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 8_000)
                try engine.put(key(number), value)
                model.entries[key(number)] = value
            }
        }

        /// Fills the disk until a write fails: LevelDB's thread may be about to make room.
        private static func fillUp(
            _ engine: LevelDBEngine, _ model: inout KeyValueModel, _ disk: SmallDisk
        ) throws -> DataStoreError {
            while true {
                try disk.fill()
                do {
                    try fill(engine, &model, 300..<400)
                } catch let error as DataStoreError {
                    return error
                }
            }
        }

        @Test func readingGoesOnAndWritingAgainWhenThereIsRoom() throws {
            let disk = try SmallDisk(megabytes: 12, at: temporary.place("disk"))
            defer { disk.end() }
            let engine = LevelDBEngine(
                at: disk.url.appending(path: "store"), configuration: Self.configuration)
            try engine.open()
            var model = KeyValueModel()
            try Self.fill(engine, &model, 0..<300)
            for round in 0..<3 {
                for _ in 0..<4 {
                    let error = try Self.fillUp(engine, &model, disk)
                    #expect(error.code == .storageFull)
                    #expect(error.message.contains("It needs up to"))
                    #expect(error.message.contains("more than is free"))
                    #expect(try engine.pairs() == model.pairs(), "round \(round)")
                }
                try disk.free()
                try engine.write { writer in _ = try writer.delete(Self.key(round)) }
                model.entries[Self.key(round)] = nil
                #expect(try engine.pairs() == model.pairs(), "round \(round)")
            }
            engine.close()
            try engine.open()
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }

        /// LevelDB writes when it opens a database, so nothing could be read.
        @Test func readOnlyStoreIsOpenedOnAFullDisk() throws {
            let disk = try SmallDisk(megabytes: 4, at: temporary.place("disk"))
            defer { disk.end() }
            let place = disk.url.appending(path: "store")
            let engine = LevelDBEngine(at: place)
            try engine.open()
            var model = KeyValueModel()
            try Self.fill(engine, &model, 0..<50)
            engine.close()
            try disk.fill()
            let reader = LevelDBEngine(
                at: place, configuration: LevelDBConfiguration(isReadOnly: true))
            for _ in 0..<2 {
                try reader.open()
                #expect(try reader.pairs() == model.pairs())
                let refusal = #expect(throws: DataStoreError.self) { try reader.put([1], [1]) }
                #expect(refusal?.code == .readOnly)
                reader.close()
            }
            try disk.free()
            try engine.open()
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }

        /// Each attempt left tables behind, until all the room was taken that had been freed.
        @Test func failedOpeningsLeaveTheRoomThatThereWas() throws {
            let disk = try SmallDisk(megabytes: 12, at: temporary.place("disk"))
            defer { disk.end() }
            let engine = LevelDBEngine(
                at: disk.url.appending(path: "store"), configuration: Self.configuration)
            try engine.open()
            var model = KeyValueModel()
            try Self.fill(engine, &model, 0..<300)
            _ = try Self.fillUp(engine, &model, disk)
            engine.close()
            for _ in 0..<5 {
                try disk.fill()
                do throws(DataStoreError) {
                    try engine.open()
                } catch {
                    #expect(error.code == .storageFull)
                    #expect(error.message.contains("It needs up to"))
                    continue
                }
                #expect(try engine.pairs() == model.pairs())
                engine.close()
            }
            try disk.free(keeping: 4 << 20)
            for number in 400..<405 {
                try engine.open()
                #expect(try engine.pairs() == model.pairs())
                do {
                    try Self.fill(engine, &model, number..<(number + 1))
                } catch let error as DataStoreError {
                    #expect(error.code == .storageFull)
                }
                #expect(try engine.pairs() == model.pairs())
                engine.close()
            }
            try disk.free()
            try engine.open()
            try Self.fill(engine, &model, 500..<520)
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }

        /// Nothing could be deleted from a full disk, for a deletion is a write.
        @Test func deletingAndCompactingWorkOnAFullDisk() throws {
            let disk = try SmallDisk(megabytes: 24, at: temporary.place("disk"))
            defer { disk.end() }
            let engine = LevelDBEngine(
                at: disk.url.appending(path: "store"), configuration: Self.configuration)
            try engine.open()
            var model = KeyValueModel()
            try Self.fill(engine, &model, 0..<300)
            #expect(try Self.fillUp(engine, &model, disk).code == .storageFull)
            for number in 0..<280 {
                try engine.write { writer in _ = try writer.delete(Self.key(number)) }
                model.entries[Self.key(number)] = nil
            }
            #expect(try engine.pairs() == model.pairs())
            // What is kept is for deleting alone.
            let error = #expect(throws: DataStoreError.self) {
                for number in 400..<1_000 { try Self.fill(engine, &model, number..<(number + 1)) }
            }
            #expect(error?.code == .storageFull)
            let report = try engine.compact(MaintenanceMeter { _ in })
            #expect(report.bytesAfter < report.bytesBefore)
            #expect(try engine.pairs() == model.pairs())
            engine.close()
            try disk.fill()
            try engine.open()
            #expect(try engine.pairs() == model.pairs())
            try disk.free()
            try Self.fill(engine, &model, 500..<520)
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }

        /// A large write that fails must not take the room that small ones need.
        @Test func smallWritesGoOnAfterALargeOneThatDidNotFit() throws {
            let disk = try SmallDisk(megabytes: 2, at: temporary.place("disk"))
            defer { disk.end() }
            let engine = LevelDBEngine(
                at: disk.url.appending(path: "store"), configuration: Self.configuration)
            try engine.open()
            var model = KeyValueModel()
            try Self.fill(engine, &model, 0..<20)
            let error = #expect(throws: DataStoreError.self) {
                try engine.put([1, 1, 1], [UInt8](repeating: 9, count: 3 << 20))
            }
            #expect(error?.code == .storageFull)
            try engine.write { writer in _ = try writer.delete(Self.key(3)) }
            model.entries[Self.key(3)] = nil
            try Self.fill(engine, &model, 30..<33)
            #expect(try engine.pairs() == model.pairs())
            engine.close()
            try engine.open()
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }
    }

    /// A file system of a few megabytes in memory.
    final class SmallDisk {
        let url: URL

        /// Whether this process may mount one.
        static let isAvailable: Bool = {
            guard let temporary = try? TemporaryDirectory(),
                let disk = try? SmallDisk(megabytes: 1, at: temporary.place("disk"))
            else { return false }
            disk.end()
            return true
        }()

        init(megabytes: Int, at url: URL) throws {
            self.url = url
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let isMounted = Self.run(
                "mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", url.path)
            guard isMounted else { throw POSIXError(.EPERM) }
        }

        func end() { _ = Self.run("umount", "-l", url.path) }

        private var ballast: URL { url.appending(path: "ballast") }

        /// Takes all the room.
        func fill() throws {
            if !FileManager.default.fileExists(atPath: ballast.path) {
                try Data().write(to: ballast)
            }
            let file = try FileHandle(forWritingTo: ballast)
            defer { try? file.close() }
            try file.seekToEnd()
            for size in [1 << 20, 4 << 10] {
                while (try? file.write(contentsOf: Data(count: size))) != nil {}
            }
        }

        /// Gives it back, all but some.
        func free(keeping byteCount: UInt64 = 0) throws {
            let file = try FileHandle(forWritingTo: ballast)
            defer { try? file.close() }
            try file.truncate(atOffset: byteCount)
        }

        private static func run(_ arguments: String...) -> Bool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = arguments
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }
#endif
