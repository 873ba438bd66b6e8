#if os(Linux)
    import Foundation
    import JustPersist
    import JustPersistLevelDB
    import Testing

    /// Limits the size of files in a process, which LevelDB handles like a full disk.
    enum FullDisk {
        static func begin(limit: UInt) {
            signal(SIGXFSZ, SIG_IGN)
            set(limit)
        }

        static func end() { set(UInt.max) }

        private static func set(_ limit: UInt) {
            var limits = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            limits.rlim_cur = min(limit, limits.rlim_max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        }

        /// Writes until a write fails, and returns the expected contents of the store.
        static func fill(_ engine: LevelDBEngine) throws -> KeyValueModel {
            var model = KeyValueModel()
            begin(limit: 100 << 10)
            for number in 0..<1_000 {
                let key: [UInt8] = [2, UInt8(number >> 8), UInt8(number & 0xFF)]
                let value = [UInt8](repeating: UInt8(number & 0xFF), count: 700)
                do {
                    try engine.put(key, value)
                } catch let error as DataStoreError {
                    #expect(error.code == .storageFull)
                    #expect(number > 100)
                    return model
                }
                model.entries[key] = value
            }
            Issue.record("the limit had no effect")
            return model
        }

        /// Writes after the limit was removed, and expects all entries after the store was opened again.
        static func expectWritesLast(_ engine: LevelDBEngine, _ model: KeyValueModel) throws {
            end()
            var model = model
            for number in 0..<200 as Range<UInt8> {
                try engine.put([0xEE, number], [number])
                model.entries[[0xEE, number]] = [number]
            }
            #expect(try engine.pairs() == model.pairs())
            engine.close()
            try engine.open()
            #expect(engine.recoveryReport == nil)
            #expect(try engine.pairs() == model.pairs())
            engine.close()
        }
    }
#endif
