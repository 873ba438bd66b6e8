import Foundation
import GRDB

/// The database of both GRDB sides: a pool in WAL mode with the durability of the other sides.
enum GRDBDatabase {
    static let version: String = {
        let sqlite = try? DatabaseQueue().read {
            try String.fetchOne($0, sql: "SELECT sqlite_version()")
        }
        return "GRDB 7.10.0, SQLite \(sqlite ?? "?")"
    }()

    static func open(in directory: URL) throws -> DatabasePool {
        let pool = try DatabasePool(path: directory.appending(path: "restaurants.sqlite").path)
        // A pool sets NORMAL, which does not sync each commit. FULL does, as LMDB and LevelDB do here.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }
}
