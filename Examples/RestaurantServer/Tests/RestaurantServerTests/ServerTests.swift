import Foundation
import Testing

/// The server as a program, on each backend.
@Suite(.timeLimit(.minutes(2))) struct ServerTests {
    private static let backends = ["memory:", "lmdb:", "leveldb:"]

    @Test(arguments: backends) func restaurantsAreSavedFoundAndDeleted(_ backend: String)
        async throws
    {
        try await withServer(backend) { server in
            for (name, stars) in [("Lotus", 3), ("Zur Post", 5), ("Ñandú", 4), ("Imbiss", 1)] {
                let body = #"{"name": "\#(name)", "stars": \#(stars)}"#
                #expect(try await server.put("/restaurants/\(stars)", body) == 204)
            }
            #expect(
                try await server.put("/restaurants/1", #"{"name": "Imbiss", "stars": 2}"#) == 204)
            #expect(
                try await server.names("/restaurants") == ["Zur Post", "Ñandú", "Lotus", "Imbiss"])
            #expect(try await server.names("/restaurants?limit=1") == ["Zur Post"])
            let found = try await server.names("/restaurants?where=name%20LIKE%5Bcd%5D%20%22n*%22")
            #expect(found == ["Ñandú"])
            let one = try await server.get("/restaurants/3")
            #expect(one.status == 200 && one.text.contains(#""permit":"3""#), "\(one)")
            #expect(try await server.send("DELETE", "/restaurants/3").status == 204)
            #expect(try await server.send("DELETE", "/restaurants/3").status == 404)
            #expect(try await server.get("/restaurants/3").status == 404)
            #expect(try await server.get("/health").status == 200)
        }
    }

    @Test(arguments: backends) func mistakesAreExplained(_ backend: String) async throws {
        try await withServer(backend) { server in
            for text in ["stars%20%3E", "stars%20%3D%3D%20%25%40", "wings%20%3D%3D%203"] {
                let answer = try await server.get("/restaurants?where=\(text)")
                #expect(answer.status == 400 && !answer.text.isEmpty, "\(text): \(answer)")
            }
            for body in ["", "{", #"{"stars": "five"}"#, "[]"] {
                #expect(try await server.put("/restaurants/9", body) == 400, "\(body)")
            }
            #expect(try await server.get("/restaurants/9").status == 404)
            #expect(try await server.get("/nowhere").status == 404)
        }
    }

    /// A client follows the changes, is disconnected, and goes on where it was, even after a restart of the server.
    @Test(arguments: ["lmdb:", "leveldb:"])
    func clientsFollowTheChangesAndResume(_ backend: String) async throws {
        let place = try TemporaryFolder()
        let url = "\(backend)\(place.path)/store?changeLog=1000"
        var server = try await ServerProcess(url)
        var events = try await server.events(since: nil)
        #expect(try await events.next()["event"] == "reset")
        #expect(try await server.put("/restaurants/1", #"{"name": "Lotus", "stars": 3}"#) == 204)
        var event = try await events.next()
        #expect(event["data"]?.contains("Lotus") == true, "\(event)")
        let token = try #require(event["id"])
        try events.close()

        #expect(try await server.put("/restaurants/2", #"{"name": "Zur Post", "stars": 5}"#) == 204)
        #expect(try server.stop() == 0)
        server = try await ServerProcess(url)
        events = try await server.events(since: token)
        event = try await events.next()
        #expect(event["event"] == nil && event["data"]?.contains("Zur Post") == true, "\(event)")
        #expect(event["data"]?.contains("Lotus") == false, "\(event)")
        #expect(try await server.send("DELETE", "/restaurants/1").status == 204)
        event = try await events.next()
        #expect(event["data"]?.contains(#""deleted":[""#) == true, "\(event)")
        // The open connection does not delay the end.
        #expect(try server.stop() == 0)
    }

    @Test(arguments: [
        ([:], "names no store"), (["STORE_URL": "nothing:"], "nothing"),
        (["STORE_URL": "memory:", "PORT": "65536"], "PORT is “65536”"),
        (["STORE_URL": "memory:", "PORT": "-1"], "PORT is “-1”"),
        (["STORE_URL": "memory:", "PORT": "http"], "PORT is “http”"),
    ])
    func aWrongConfigurationIsRefused(_ settings: [String: String], _ reason: String) throws {
        let place = try TemporaryFolder()
        let log = URL(filePath: place.path).appending(path: "log")
        let process = try ServerProcess.process(settings, log: log)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 1)
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(text.contains(reason), "\(text)")
    }

    /// Runs a server with an empty store, and ends it.
    private func withServer(
        _ backend: String, _ body: (ServerProcess) async throws -> Void
    ) async throws {
        let place = try TemporaryFolder()
        let server = try await ServerProcess(
            backend + (backend == "memory:" ? "" : place.path + "/store"))
        try await body(server)
        #expect(try server.stop() == 0)
    }
}
