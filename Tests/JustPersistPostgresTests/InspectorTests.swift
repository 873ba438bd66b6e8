import Foundation
import JustPersist
import JustPersistInspector
import JustPersistPostgres
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The inspector of a store on a server: every page is answered as for other stores, except the bytes.
///
/// A view has two seconds, so this is a trial of its own, which does not run beside all others.
@Suite(
    .enabled(if: Server.isThere, Server.notThere),
    .enabled(if: ProcessInfo.processInfo.environment["JP_LONG"] != nil, "It runs with JP_LONG."))
struct InspectorTests {
    @Test func itShowsAStoreOnAServer() async throws {
        PostgresDataStore.register()
        let store = try DataStores.open(try Server.newStore())
        let id = try await store.write { db in
            try db.declare(
                ItemSchema("Dish", attributes: [AttributeSchema("name", kinds: [.string])]))
            let ids = try (0..<300).map { number in
                let dish = try db.create("Dish")
                dish["name"] = .string("Dish \(number)")
                return dish.uniqueToken
            }
            return try #require(ids.last)
        }
        let session = try await StoreInspector(store).start()
        let pages = [
            "/stores.json", "/types.json", "/rows.json?type=Dish&offset=290", "/verify",
            "/count.json?type=Dish&where=name%20BEGINSWITH%20%22Dish%22", "/diff?other=0",
            "/explain.json?type=Dish", "/item.json?type=Dish&id=\(id)",
            "/facets.json?type=Dish&attribute=name", "/export?type=Dish&format=jsonl",
        ]
        for page in pages {
            var request = URLRequest(
                url: try #require(URL(string: "http://127.0.0.1:\(session.port)\(page)")))
            request.setValue("Bearer \(session.token)", forHTTPHeaderField: "Authorization")
            let (data, response) = try await URLSession.shared.data(for: request)
            let text = String(decoding: data, as: UTF8.self)
            #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(page): \(text)")
            #expect(!text.contains("event: failure"), "\(page): \(text)")
            if page.hasPrefix("/rows") { #expect(text.contains("Dish 299")) }
        }
        await session.stop()
        try store.close()
    }
}
