import Foundation
import JustPersist
import JustPersistConformance
import JustPersistInspector
import Testing

/// Requests that are damaged at random: the inspector answers the next one, and gives nothing away.
struct MutationTests {
    /// One to four damages of a request.
    private static func mutated(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 4: bytes.removeSubrange(place...)
            case 5:
                let count = Int.random(in: 0...5000, using: &random)
                bytes.insert(contentsOf: repeatElement(bytes[place], count: count), at: place)
            case 6:
                let end = Int.random(in: place...bytes.endIndex, using: &random)
                bytes.insert(contentsOf: Array(bytes[place..<min(end, bytes.endIndex)]), at: place)
            case 7:
                let words = [
                    "\r\n", "\r\n\r\n", "\n", "%", "%00", "%ff", "&", "=", "\0", " ", "?", "-1",
                    "99999999999999999999", "Content-Length: 5\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "Host: evil.test\r\n", "Expect: 100-continue\r\n", "where=%28%28%28",
                ]
                let word = words.randomElement(using: &random) ?? ""
                bytes.insert(contentsOf: word.utf8, at: place)
            default: bytes.swapAt(place, Int.random(in: bytes.indices, using: &random))
            }
        }
        return bytes
    }

    @Test
    func damagedRequestsNeitherStopItNorGetData() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["JP_MUTATIONS"].flatMap { Int($0) } ?? 2_000
        let seed =
            environment["JP_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
        print("MutationTests: \(count) requests, JP_SEED=\(seed)")
        let store = try Shelf.store()
        var inspector = StoreInspector.patient(store)
        inspector.limits.time = .milliseconds(200)
        // Damaged tokens are wrong tries.
        inspector.limits.wrongTries = .max
        let session = try await inspector.start()
        let client = Client(session)
        let targets = [
            "/types.json", "/rows.json?type=Book&where=pages%20%3E%203&sort=pages%3Adesc&limit=5",
            "/count.json?type=Book&where=title%20CONTAINS%20%221%22",
            "/raw.json?part=record&limit=3",
            "/facets.json?type=Book&attribute=pages", "/export?type=Book&format=csv",
            "/item.json?type=Book&id=00000000-0000-0000-0000-000000000000", "/", "/inspector.js",
        ]
        // Without the token: whatever is damaged, nothing of the store may come back.
        let begun = (0..<count).map { number -> (bytes: [UInt8], isSignedIn: Bool) in
            var random = SeededGenerator(seed: seed &+ UInt64(number) &* 7919)
            let isSignedIn = Bool.random(using: &random)
            let target = targets.randomElement(using: &random) ?? "/"
            let headers = isSignedIn ? nil : ["X-Nothing: \(number)"]
            return (
                Self.mutated(client.text("GET", target, headers: headers), &random), isSignedIn
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, request) in begun.enumerated() {
                if place >= 24 { _ = try await group.next() }
                group.addTask {
                    let bytes = try await client.send(request.bytes)
                    let text = String(decoding: bytes, as: UTF8.self)
                    if !request.isSignedIn {
                        #expect(!text.contains(Shelf.secret) && !text.contains("Book"))
                    }
                    if let reply = Reply(bytes) {
                        #expect((200..<506).contains(reply.status))
                        #expect(reply.status != 500)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.reply("/types.json").status == 200)
        await session.stop()
    }
}
