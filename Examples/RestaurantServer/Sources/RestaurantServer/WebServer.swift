import FlyingFox
import FlyingSocks
import JustPersist
import JustPersistServiceLifecycle
import Logging
import ServiceLifecycle

/// The HTTP server as a service: on shutdown it takes no more requests, and gives the running ones two seconds.
struct WebServer: Service {
    let server: HTTPServer
    let store: any DataStore
    let logger: Logger

    /// - Parameter port: The port on the loopback interface; 0 for any free one.
    init(port: UInt16, _ store: any DataStore, _ logger: Logger) throws {
        // FlyingFox would log the end of each connection as an error.
        server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: 10, logger: .disabled)
        self.store = store
        self.logger = logger
    }

    func run() async throws {
        try await DataStoreService(store).waitUntilOpen()
        await RestaurantRoutes(store: store).add(to: server)
        try await withGracefulShutdownHandler {
            do {
                async let listening: Void = logPort()
                try await server.run()
                try await listening
            } catch  where Task.isShuttingDownGracefully {
                // It ends with the error of its closed socket.
            }
        } onGracefulShutdown: {
            Task {
                // A server that does not listen yet cannot be stopped.
                try? await server.waitUntilListening()
                await server.stop(timeout: 2)
            }
        }
    }

    /// Logs the port when requests can arrive.
    private func logPort() async throws {
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { return }
        logger.notice("Listening on 127.0.0.1:\(port)")
    }
}
