extension Side {
    /// All sides, in the order of the table's columns.
    static let all: [Side] = [
        .grdbCodable, .grdbTuned, .rawLMDB, .rawLevelDB,
        .justPersistLMDB, .justPersistLevelDB, .justPersistMemory,
    ]
}
