import FlyingSocks
import Foundation
import JustPersist
import ServiceLifecycle

/// The committed changes of restaurants as the text of server-sent events.
///
/// The id of an event is the token with which the stream continues after it. A client that connects without one is asked
/// to read the list (event `reset`); each later event has the restaurants that changed, and the ids of deleted ones.
/// The events end when the server shuts down.
struct ChangeEvents: AsyncBufferedSequence {
    typealias Element = UInt8
    typealias Changes = AsyncCancelOnGracefulShutdownSequence<ChangeStream<ItemChanges>>

    /// The data of an event.
    private struct Message: Encodable {
        let changed: [Restaurant.Values]
        let deleted: [ItemID]
    }

    let store: any DataStore
    let token: ChangeToken?

    init(of store: any DataStore, since token: ChangeToken?) {
        self.store = store
        self.token = token
    }

    func makeAsyncIterator() -> Iterator {
        let changes = store.changes(of: Restaurant.self, since: token).cancelOnGracefulShutdown()
        return Iterator(store: store, changes: changes.makeAsyncIterator())
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let store: any DataStore
        var changes: Changes.AsyncIterator
        private var pending: ArraySlice<UInt8> = []

        init(store: any DataStore, changes: Changes.AsyncIterator) {
            self.store = store
            self.changes = changes
        }

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            if pending.isEmpty {
                guard let change = await changes.next(isolation: #isolation) else { return nil }
                pending = try await ArraySlice(event(change).utf8)
            }
            defer { pending = pending.dropFirst(count) }
            return pending.prefix(count)
        }

        private func event(_ change: ItemChanges) async throws -> String {
            guard change.isComplete else { return "event: reset\nid: \(change.token)\ndata:\n\n" }
            let ids = change.inserted + change.updated.map(\.id)
            let changed = try await store.read { db in
                try ids.compactMap { try db.values(of: Restaurant.self, id: $0) }
            }
            let data = try JSONEncoder().encode(Message(changed: changed, deleted: change.deleted))
            return "id: \(change.token)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
        }
    }
}
