import FlyingFox
import Foundation
import JustPersist

/// The handlers of requests.
///
/// Each is one block of the store. A request whose time is over is cancelled, and its block with it.
struct RestaurantRoutes {
    let store: any DataStore

    func add(to server: HTTPServer) async {
        await server.appendRoute("GET /restaurants") { request in
            await answer { try await list(request) }
        }
        await server.appendRoute("GET /restaurants/:permit") { request in
            await answer { try await one(request) }
        }
        await server.appendRoute("PUT /restaurants/:permit") { request in
            await answer { try await save(request) }
        }
        await server.appendRoute("DELETE /restaurants/:permit") { request in
            await answer { try await delete(request) }
        }
        await server.appendRoute("GET /changes") { request in await answer { changes(request) } }
        await server.appendRoute("GET /health") { _ in
            await answer {
                _ = try await store.read { db in try db.count(Restaurant.self) }
                return HTTPResponse(statusCode: .ok)
            }
        }
    }

    /// The best restaurants: `?where=stars > 3&limit=20`, with a predicate in the language of `NSPredicate`.
    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let condition = request.query.first { $0.name == "where" }?.value
        let predicate = try condition.map { try DataStorePredicate($0) }
        let limit = request.query.first { $0.name == "limit" }.flatMap { Int($0.value) } ?? 20
        let restaurants = try await store.read { db in
            try db.values(
                of: Restaurant.self, where: predicate,
                sortedBy: .descending(\.stars), .ascending(\.name), limit: min(max(limit, 0), 100))
        }
        return try json(restaurants)
    }

    private func one(_ request: HTTPRequest) async throws -> HTTPResponse {
        let permit = request.routeParameters["permit"]
        let restaurant = try await store.read { db in
            try db.firstValues(of: Restaurant.self, where: \.permit == permit)
        }
        guard let restaurant else { return HTTPResponse(statusCode: .notFound) }
        return try json(restaurant)
    }

    /// Creates the restaurant, or changes the one with its permit, so that a client may repeat the request.
    private func save(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.bodyData
        var values = try JSONDecoder().decode(Restaurant.Values.self, from: body)
        values.permit = request.routeParameters["permit"]
        let restaurant = values
        try await store.write { db in _ = try db.upsert(restaurant, by: \.permit) }
        return HTTPResponse(statusCode: .noContent)
    }

    private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        let permit = request.routeParameters["permit"]
        let count = try await store.write { db in
            try db.delete(Restaurant.self, where: \.permit == permit)
        }
        return HTTPResponse(statusCode: count == 0 ? .notFound : .noContent)
    }

    /// The changes as server-sent events, which a browser's `EventSource` follows and resumes.
    private func changes(_ request: HTTPRequest) -> HTTPResponse {
        let token = request.headers[HTTPHeader("Last-Event-ID")].flatMap(ChangeToken.init)
        return HTTPResponse(
            statusCode: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: HTTPBodySequence(from: ChangeEvents(of: store, since: token)))
    }

    private func json(_ value: some Encodable) throws -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: [.contentType: "application/json"],
            body: try JSONEncoder().encode(value))
    }

    /// The answer to a request, also to one that fails.
    private func answer(_ body: () async throws -> HTTPResponse) async -> HTTPResponse {
        do {
            return try await body()
        } catch let error as DataStoreError {
            return HTTPResponse(
                statusCode: status(of: error), headers: [.contentType: "text/plain; charset=utf-8"],
                body: Data(error.message.utf8))
        } catch is DecodingError {
            return HTTPResponse(statusCode: .badRequest)
        } catch is CancellationError {
            return HTTPResponse(statusCode: .serviceUnavailable)
        } catch {
            return HTTPResponse(statusCode: .internalServerError)
        }
    }

    private func status(of error: DataStoreError) -> HTTPStatusCode {
        switch error.code {
        case .invalidPredicate, .invalidRequest, .unknownAttribute, .unsupportedValue,
            .kindMismatch:
            .badRequest
        case .uniqueViolation, .validationFailed: .conflict
        case .deadlineExceeded, .notSetUp: .serviceUnavailable
        case .storageFull: HTTPStatusCode(507, phrase: "Insufficient Storage")
        default: .internalServerError
        }
    }
}
