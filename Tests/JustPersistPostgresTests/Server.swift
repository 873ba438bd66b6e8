import CPostgres
import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// The server that `scripts/with-postgres` has started for the tests.
enum Server {
    static let url = ProcessInfo.processInfo.environment["JP_POSTGRES_URL"]

    static var isThere: Bool { url != nil }

    static let notThere: Comment =
        "There is no server: run scripts/with-postgres swift test --filter JustPersistPostgresTests"

    /// The URL of a new store.
    static func newStore(_ options: String = "") throws -> String {
        let url = try #require(url)
        let name = "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
        return with(options: ["store=\(name)"] + (options.isEmpty ? [] : [options]), url)
    }

    /// A URL with further options.
    static func with(options: [String], _ url: String) -> String {
        url + (url.contains("?") ? "&" : "?") + options.joined(separator: "&")
    }

    /// Whether the tests reach the server through a pooler, which may give each transaction another connection.
    static var isPooled: Bool { url?.contains("pooling=transaction") ?? false }

    /// The directory of the server's socket.
    static var socketDirectory: String {
        ProcessInfo.processInfo.environment["JP_POSTGRES_DIRECTORY"] ?? ""
    }

    /// The directory of the socket in the URL, which may be a pooler's.
    static var reachedDirectory: String {
        ProcessInfo.processInfo.environment["JP_POSTGRES_SOCKET"] ?? socketDirectory
    }

    /// Runs statements, and returns the rows of the last one.
    @discardableResult
    static func run(_ statements: String) throws -> [[String]] {
        let connection = try TestConnection()
        return try connection.run(statements)
    }
}

/// A connection of a test, to see what the library leaves in the database.
// Sendable because the tests use it on one thread at a time.
@safe final class TestConnection: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let pointer: OpaquePointer

    init(_ directory: String = Server.socketDirectory) throws {
        let parameters = "host='\(directory)' user=postgres dbname=postgres"
        guard let pointer = unsafe PQconnectdb(parameters) else {
            throw Failure(description: "There is no memory for a connection.")
        }
        unsafe self.pointer = pointer
        guard unsafe PQstatus(pointer) == CONNECTION_OK else {
            throw Failure(description: unsafe String(cString: PQerrorMessage(pointer)))
        }
        try run("SET client_min_messages = error")
    }

    deinit { unsafe PQfinish(pointer) }

    @discardableResult
    func run(_ statements: String) throws -> [[String]] {
        let result = unsafe PQexec(pointer, statements)
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw Failure(description: unsafe String(cString: PQerrorMessage(pointer)))
        }
        let rows = unsafe PQntuples(result)
        let columns = unsafe PQnfields(result)
        return (0..<rows).map { row in
            (0..<columns).map { column in
                unsafe String(cString: PQgetvalue(result, row, column))
            }
        }
    }
}
