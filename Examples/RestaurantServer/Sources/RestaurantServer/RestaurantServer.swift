import Configuration
import JustPersist
import JustPersistConfiguration
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistServiceLifecycle
import Logging
import ServiceLifecycle

@main enum RestaurantServer {
    /// Serves until the process is sent SIGTERM or SIGINT.
    static func main() async throws {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
        let config = ConfigReader(provider: EnvironmentVariablesProvider())
        let logger = Logger(label: "restaurants")

        let store = try DataStores.make(from: config)
        store.errorHandler = { error in
            logger.error("\(error)", metadata: ["code": "\(error.code.rawValue)"])
        }
        let port = UInt16(clamping: config.int(forKey: "port", default: 8080))

        // The store is first: services end in reverse order, so it is closed after the last request.
        let group = ServiceGroup(
            services: [DataStoreService(store), try WebServer(port: port, store)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
