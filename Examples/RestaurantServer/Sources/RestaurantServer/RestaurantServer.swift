import Configuration
import Foundation
import JustPersist
import JustPersistConfiguration
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistServiceLifecycle
import Logging
import ServiceLifecycle
import UnixSignals

@main enum RestaurantServer {
    static func main() async {
        let logger = Logger(label: "restaurants")
        do {
            try await serve(logger)
        } catch {
            logger.critical("\(error)")
            exit(1)
        }
    }

    /// Serves until the process is sent SIGTERM or SIGINT.
    private static func serve(_ logger: Logger) async throws {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
        let config = ConfigReader(provider: EnvironmentVariablesProvider())

        let store = try DataStores.make(from: config)
        store.errorHandler = { error in
            logger.error("\(error)", metadata: ["code": "\(error.code.rawValue)"])
        }
        let text = config.string(forKey: "port", default: "8080")
        guard let port = UInt16(text) else { throw InvalidPort(text: text) }

        // The store is first: services end in reverse order, so it is closed after the last request.
        let group = ServiceGroup(
            services: [DataStoreService(store), try WebServer(port: port, store, logger)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}

private struct InvalidPort: Error, CustomStringConvertible {
    let text: String

    var description: String {
        "PORT is “\(text)”. Set it to a number from 1 to 65535, or to 0 for any free port."
    }
}
