import JustPersist
import JustPersistRecords

/// A store over an engine of any type.
///
/// Unlike `RecordStore`, which is generic, this protocol can be used in a cast.
protocol EngineStore: DataStore {
    var engineBelow: any KeyValueEngine { get }
}

extension RecordStore: EngineStore {
    var engineBelow: any KeyValueEngine { engine }
}
