import Foundation
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistRecords

/// The engines for the tests of the contract.
enum EngineCase: String, CaseIterable, Sendable {
    case lmdb, levelDB, memory

    static let persistent: [EngineCase] = [.lmdb, .levelDB]

    func engine(at url: URL) -> any KeyValueEngine {
        switch self {
        case .lmdb: LMDBEngine(at: url)
        case .levelDB: LevelDBEngine(at: url)
        case .memory: InMemoryEngine()
        }
    }
}
