import JustPersist
import JustPersistRecords

/// A store that stands on an engine, whichever that is: what a cast can name of `RecordStore`.
protocol EngineStore: DataStore {
    var engineBelow: any KeyValueEngine { get }
}

extension RecordStore: EngineStore {
    var engineBelow: any KeyValueEngine { engine }
}
