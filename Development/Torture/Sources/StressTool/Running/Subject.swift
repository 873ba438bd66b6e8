import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory

/// A kind of store to put under stress.
enum Subject: String, CaseIterable {
    case memory, lmdb, leveldb

    /// A store with nothing in it, closed.
    func store(in directory: URL) -> any DataStore {
        let place = directory.appending(path: rawValue, directoryHint: .isDirectory)
        let changeLog = ChangeLogLength(commits: 2000)
        return switch self {
        case .memory: InMemoryDataStore()
        case .lmdb:
            LMDBDataStore(
                at: place,
                configuration: LMDBConfiguration(maximumSize: 1 << 30, changeLog: changeLog))
        case .leveldb:
            LevelDBDataStore(at: place, configuration: LevelDBConfiguration(changeLog: changeLog))
        }
    }
}
