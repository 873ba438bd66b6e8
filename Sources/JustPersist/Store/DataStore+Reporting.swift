import Logging

extension DataStore {
    /// Passes an error that cannot be thrown to ``errorHandler``, or logs it if there is no handler.
    ///
    /// Stores report all such errors through this method. Errors are logged with swift-log, by a logger with the
    /// label `JustPersist`, at the level `error`.
    public func report(_ error: DataStoreError) {
        if let errorHandler { errorHandler(error) } else { error.log() }
    }
}

extension DataStoreError {
    /// Writes the error to the log.
    func log() {
        // Created each time, because a program may configure logging after its first store.
        var logger = Logger(label: "JustPersist")
        logger[metadataKey: "code"] = "\(code.rawValue)"
        logger.error("\(self)")
    }
}
