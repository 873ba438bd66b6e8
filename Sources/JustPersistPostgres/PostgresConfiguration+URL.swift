import Foundation
import JustPersist

extension PostgresConfiguration {
    /// A configuration from the part of a URL between the scheme and the options: `//user@host:port,host/database`.
    ///
    /// The parts may be percent-encoded, as in `//user@%2Fvar%2Frun%2Fpostgresql/database`.
    ///
    /// - Throws: `.invalidStoreURL`, also for a URL with a password.
    func located(at location: String) throws(DataStoreError) -> PostgresConfiguration {
        guard location.hasPrefix("//") else { throw Self.invalid("It begins with postgres://.") }
        let parts = location.dropFirst(2).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var configuration = self
        var authority = parts[0]
        if let at = authority.lastIndex(of: "@") {
            let user = authority[..<at]
            guard !user.contains(":") else {
                throw Self.invalid(
                    "It must not contain a password. Use the environment variable PGPASSWORD or a password file."
                )
            }
            configuration.user = try Self.decoded(user)
            authority = authority[authority.index(after: at)...]
        }
        configuration.hosts = []
        if !authority.isEmpty {
            for part in authority.split(separator: ",", omittingEmptySubsequences: false) {
                configuration.hosts.append(try Self.host(part))
            }
        }
        if parts.count > 1, !parts[1].isEmpty {
            // A password with a slash would have been cut there.
            guard !parts[1].contains(where: { "@/".contains($0) }) else {
                throw Self.invalid(
                    "Write %40 and %2F for “@” and “/” in the names of users and databases.")
            }
            configuration.database = try Self.decoded(parts[1])
        }
        return configuration
    }

    private static func host(_ text: Substring) throws(DataStoreError) -> Host {
        var (name, port) = (text, Substring())
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...].drop { $0 == ":" }
        } else if let colon = text.lastIndex(of: ":") {
            name = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let number = Int(port)
        guard !name.isEmpty, port.isEmpty || number.map({ (1...65_535).contains($0) }) == true
        else {
            throw invalid(
                "A server is written as HOST or HOST:PORT, and several with commas between them.")
        }
        return Host(try decoded(name), port: number)
    }

    private static func decoded(_ text: Substring) throws(DataStoreError) -> String {
        guard let decoded = text.removingPercentEncoding, !decoded.isEmpty, !decoded.contains("\0")
        else { throw invalid("A “%” must be followed by the two digits of a character.") }
        return decoded
    }

    /// The error for a URL, whose text is not shown because it could contain a password.
    private static func invalid(_ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidStoreURL, in: "open",
            """
            The URL of the PostgreSQL store is not valid. \(reason) The form is \
            postgres://USER@HOST:PORT/DATABASE?store=NAME.
            """)
    }

    /// Throws if a value cannot be used.
    func validate() throws(DataStoreError) {
        let bytes = store.utf8
        let isName = bytes.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
        }
        guard isName, (1...59).contains(bytes.count) else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                “\(store)” cannot be the name of a store in PostgreSQL. Choose 1 to 59 lowercase letters, digits and \
                underscores.
                """)
        }
        let numbers = [
            connections, lockTimeout, connectTimeout, answerTimeout, outcomeTimeout, idleTimeout,
        ]
        guard numbers.allSatisfy({ (1...86_400).contains($0) }) else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "The number of connections and all times, in seconds, must be from 1 to 86,400.")
        }
    }
}
