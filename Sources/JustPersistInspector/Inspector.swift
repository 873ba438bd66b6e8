import Foundation
import JustPersist
import JustPersistImportExport

/// Answers the requests of the pages.
final class Inspector: Sendable {
    let gatekeeper: Gatekeeper
    private let stores: [StoreView]
    private let allowsChanges: Bool
    private let lastUse = Locked(ContinuousClock.now)
    private let jobs = Locked(0)
    /// The most verifications, comparisons and exports at the same time.
    private static let mostJobs = 2

    init(
        _ stores: [StoreView], port: UInt16, allowsChanges: Bool, limits: InspectorLimits
    ) {
        self.stores = stores
        self.allowsChanges = allowsChanges
        gatekeeper = Gatekeeper(port: port, mostWrongTries: limits.wrongTries)
    }

    /// The time since the last request with the token.
    var idleTime: Duration { .now - lastUse.withLock { $0 } }

    func answer(_ request: InspectorRequest) async -> InspectorResponse {
        // Before anything else, for every path and method.
        guard gatekeeper.isOfThisServer(request) else {
            var refusal = InspectorResponse(403)
            refusal.closes = true
            return refusal
        }
        guard let route = InspectorRoute(rawValue: request.path),
            allowsChanges || !route.isForChanges
        else {
            return InspectorResponse(404)
        }
        if route.needsToken {
            guard gatekeeper.isSignedIn(request) else { return InspectorResponse.unauthorized }
            lastUse.withLock { $0 = .now }
        }
        guard route.methods.contains(request.method) else { return .methods(route.methods) }
        if route.isForChanges {
            // A cookie comes with every request of the browser; the token only with those of the page's script.
            guard request.headers["authorization"] != nil else {
                return InspectorResponse.unauthorized
            }
            guard request.headers["content-type"] == "application/json" else {
                return InspectorResponse(415)
            }
        }
        do {
            return try await answer(route, request)
        } catch {
            let failure = (try? InspectorResponse.json(["error": Failure(error)], status: 422))
            return failure ?? InspectorResponse(422)
        }
    }

    private func answer(
        _ route: InspectorRoute, _ request: InspectorRequest
    ) async throws -> InspectorResponse {
        let parameters = Parameters(query: request.query)
        switch route {
        case .page: return .text("text/html", Page.html)
        case .script: return .text("text/javascript", Page.script)
        case .style: return .text("text/css", Page.style)
        case .session: return signIn(request)
        case .stores:
            return try .json(stores.map { $0.summary(allowsChanges: allowsChanges) })
        case .types: return try await .json(store(parameters).types())
        case .rows: return try await .json(store(parameters).rows(parameters))
        case .count: return try await .json(store(parameters).count(parameters))
        case .explain: return try await .json(store(parameters).explain(parameters))
        case .item: return try await .json(store(parameters).item(parameters))
        case .facets: return try await .json(store(parameters).facets(parameters))
        case .raw: return try await .json(store(parameters).raw(parameters))
        case .value:
            let value = try await store(parameters).value(parameters)
            return .file(try parameters.required("attribute"), .bytes(value.fileContents))
        case .picture:
            guard let picture = try await store(parameters).value(parameters).picture else {
                return InspectorResponse(404)
            }
            return InspectorResponse(200, [("Content-Type", picture.type)], body: picture.data)
        case .changes:
            let store = try store(parameters)
            let type = try parameters.required("type")
            return EventStream.response { try await store.changes(type, $0) }
        case .verify:
            let store = try store(parameters)
            return try job { try await store.verify($0) }
        case .stats:
            let store = try store(parameters)
            return try job { try await store.stats($0) }
        case .diff:
            let (first, second) = (try store(parameters), try store(parameters, "other"))
            return try job { try await first.diff(to: second, $0) }
        case .preview:
            let (store, draft) = try draft(request)
            return try await .json(store.preview(draft))
        case .commit:
            let (store, draft) = try draft(request)
            return try await .json(store.commit(draft))
        case .export:
            // The head needs none of the work.
            if request.method == "HEAD" { return .file("export", .stream { _ in }) }
            let job = try beginJob()
            defer { withExtendedLifetime(job) {} }
            return try await store(parameters).export(parameters)
        }
    }

    /// Work that takes long, of which only some is done at a time.
    private final class Job: Sendable {
        private let running: Locked<Int>

        init(_ running: Locked<Int>) { self.running = running }

        deinit { running.withLock { $0 -= 1 } }
    }

    /// An answer of which work that takes long sends the events.
    private func job(
        _ work: @escaping @Sendable (EventStream) async throws -> Void
    ) throws(DataStoreError) -> InspectorResponse {
        let job = try beginJob()
        return EventStream.response { events in
            defer { withExtendedLifetime(job) {} }
            try await work(events)
        }
    }

    private func beginJob() throws(DataStoreError) -> Job {
        let isFull = jobs.withLock { count in
            if count == Self.mostJobs { return true }
            count += 1
            return false
        }
        if !isFull { return Job(jobs) }
        throw DataStoreError(
            .limitExceeded, in: "inspect",
            "\(Self.mostJobs) verifications, comparisons or exports are running. Wait for one of them, or stop it."
        )
    }

    /// The store of a request, by its number in the list with which the inspector was started.
    private func store(
        _ parameters: Parameters, _ name: String = "store"
    ) throws(DataStoreError) -> StoreView {
        let number = try parameters.number(name, 0...(stores.count - 1))
        return stores[number ?? 0]
    }

    /// The changes in the body of a request, with their store.
    private func draft(
        _ request: InspectorRequest
    ) throws(DataStoreError) -> (StoreView, StoreView.Draft) {
        guard
            let draft = try? JSONDecoder().decode(
                StoreView.Draft.self, from: Data(request.body)),
            stores.indices.contains(draft.store)
        else {
            throw DataStoreError(.invalidRequest, in: "inspect", "This is no draft of changes.")
        }
        return (stores[draft.store], draft)
    }

    /// Trades the token for the cookie.
    private func signIn(_ request: InspectorRequest) -> InspectorResponse {
        guard request.headers["content-type"] == "application/json" else {
            return InspectorResponse(415)
        }
        struct SignIn: Decodable { let token: String }
        guard let body = try? JSONDecoder().decode(SignIn.self, from: Data(request.body)),
            let cookie = gatekeeper.cookie(for: body.token)
        else { return InspectorResponse.unauthorized }
        return InspectorResponse(204, [cookie])
    }
}

extension DataStoreValue {
    /// The value as the contents of a file.
    fileprivate var fileContents: Data {
        switch self {
        case .data(let data): data
        case .string(let text): Data(text.utf8)
        default: Data(jsonText.utf8)
        }
    }
}
