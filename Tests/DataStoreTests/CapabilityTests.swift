import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Clause 19: stores say what they can do, and do what they say.
@Suite struct CapabilityTests {
    @Test(arguments: Backend.allCases) func everyBackendKeepsTheWholeContract(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            let capabilities = store.capabilities
            #expect(capabilities.isolation == .serializable)
            #expect(capabilities.hasConcurrentReads)
            #expect(capabilities.nesting == [.readInRead, .readInWrite, .writeInRead])
            #expect(capabilities.threading == .callingThread)
            #expect(capabilities.valueKinds == Set(DataStoreValue.Kind.allCases))
            #expect(
                capabilities.predicateOperators == Set(DataStorePredicate.Operator.allCases))
            #expect(capabilities.enforcesUniqueness)
            #expect(!capabilities.isReadOnly)
            #expect(capabilities.isSharedBetweenProcesses == (backend == .lmdb))
            #expect(capabilities.persistence == (backend.isPersistent ? .powerLoss : .none))
        }
    }

    @Test(arguments: Backend.persistent)
    func relaxedStoresPromiseLess(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(
                at: directory, options: DataStoreOptions(durability: .relaxed))
            #expect(store.capabilities.persistence == .processCrash)
            try store.open()
            try store.fill(["a"])
            try store.close()
            try store.open()
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func readOnlyStoresRefuseToChange(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let writable = backend.make(at: directory)
            try writable.open()
            try writable.fill(["a"])
            try writable.close()
            let errors = ErrorLog()
            let store = backend.make(
                at: directory, options: DataStoreOptions(isReadOnly: true), errors: errors)
            #expect(store.capabilities.isReadOnly)
            try store.open()
            try #expect(store.names() == ["a"])
            expectError(.readOnly) { _ = try store.write { _ in 1 } }
            store.writeSync { _ in Issue.record("A block ran") }
            #expect(errors.codes == [.readOnly])
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { _ in
                Issue.record("A block ran")
            } completion: {
                done.signal()
            }
            done.wait()
            #expect(errors.codes == [.readOnly, .readOnly])
            try expectSound(store)
            try store.close()
            expectError(.readOnly) { try store.destroy() }
            try writable.open()
            try #expect(writable.names() == ["a"])
            try writable.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func storesThatAreNotToBeMadeAreNotFound(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            for options in [
                DataStoreOptions(createsIfMissing: false), DataStoreOptions(isReadOnly: true),
            ] {
                let store = backend.make(at: directory, options: options)
                expectError(.storeNotFound) { try store.open() }
                #expect(!FileManager.default.fileExists(atPath: directory.path))
            }
        }
    }

    @Test func whatNoStoreEvaluatesIsRefusedByName() {
        for format in [
            "name ==[l] 'a'", "stars > random()", "FUNCTION(name, 'x') == 1",
            "CAST(tags, 'NSSet') == 1",
        ] {
            #expect(throws: DataStoreError.self, "\(format)") {
                _ = try DataStorePredicate(format)
            }
        }
    }

    @Test func storesAreMadeFromURLs() throws {
        try withTemporaryDirectory { directory in
            for (scheme, register) in Backend.schemes {
                register()
                #expect(DataStores.schemes.contains(scheme))
                let hasFiles = ["lmdb", "leveldb"].contains(scheme)
                let location = hasFiles ? directory.appending(path: scheme).path : ""
                if hasFiles {
                    try FileManager.default.createDirectory(
                        at: directory, withIntermediateDirectories: true)
                }
                let store = try DataStores.open("\(scheme):\(location)")
                try store.fill(["a"])
                try #expect(store.names() == ["a"])
                try store.close()
                let wrong = hasFiles ? "\(scheme):" : "\(scheme):somewhere"
                expectError(.invalidStoreURL) { _ = try DataStores.make(wrong) }
            }
            expectError(.invalidStoreURL) { _ = try DataStores.make("nothing:x") }
            expectError(.invalidStoreURL) { _ = try DataStores.make("no scheme") }
        }
    }
}
