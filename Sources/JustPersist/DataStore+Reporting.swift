import Logging

extension DataStore {
    /// Hands a failure that nobody can throw to ``errorHandler``, or logs it where there is none.
    ///
    /// Stores report through this, so that no failure passes unheard: without a handler it goes to a logger of
    /// swift-log with the label `JustPersist`, at the level `error`.
    public func report(_ error: DataStoreError) {
        if let errorHandler { errorHandler(error) } else { error.log() }
    }
}

extension DataStoreError {
    /// Writes the error to the log.
    func log() {
        // Made anew each time, for the program may set logging up after its first store.
        var logger = Logger(label: "JustPersist")
        logger[metadataKey: "code"] = "\(code.rawValue)"
        logger.error("\(self)")
    }
}
