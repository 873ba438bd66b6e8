import Foundation
import JustPersist

/// A commit of an open store: the id of its session, and a number.
///
/// A session's commits are one after the other. The row of the session in the table of commits has the number of the
/// latest that the server has committed.
struct SessionCommit: Sendable {
    let session: UUID
    var number = 0

    init() { session = UUID() }

    /// The commit of a token; `nil` for any other text.
    init?(_ token: CommitToken) {
        let parts = token.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let session = UUID(uuidString: String(parts[0])),
            let number = Int(parts[1]), number > 0, let time = Double(parts[2])
        else { return nil }
        self.session = session
        self.number = number
        self.time = time
    }

    /// The time of a token, in seconds since 1970.
    private var time: Double?

    /// The token of the commit, if it is made now.
    var token: CommitToken {
        let time = Int(Surroundings.date.timeIntervalSince1970)
        return CommitToken(rawValue: "\(session.uuidString)/\(number)/\(time)")
    }

    /// Asks a server for the outcome.
    ///
    /// The lock of writers is held by the connection that makes the commit until the server has ended its transaction, so
    /// once the lock is held here, the answer is final.
    ///
    /// - Parameter deadline: The time at which the question is given up.
    func outcome(
        in names: Names, _ configuration: PostgresConfiguration,
        until deadline: ContinuousClock.Instant
    ) throws(DataStoreError) -> CommitOutcome {
        var asking = configuration
        let left = Int((deadline - Surroundings.now).components.seconds)
        asking.lockTimeout = max(1, min(left, configuration.lockTimeout))
        asking.isReadOnly = false
        let connection = try Connection(asking, for: "outcome", until: deadline)
        try connection.checkDurability(configuration.durability)
        try connection.run("\(connection.begin) LOCK TABLE \(names.writer) IN EXCLUSIVE MODE")
        let rows = try connection.run(
            """
            SELECT c.number::text, extract(epoch FROM now() - interval '\(Session.daysKept - 1) days')::text \
            FROM (SELECT 1) AS one LEFT JOIN \(names.commits) AS c ON c.session = '\(session.uuidString)'
            """)
        // A commit of changes is acknowledged when all earlier ones are as durable as it is, on standbys too.
        try connection.run("UPDATE \(names.writer) SET format = format; COMMIT")
        if connection.hasCutWaitShort {
            throw DataStoreError(
                .busy, in: "outcome",
                """
                The commit's state could not be confirmed by a standby, because the server was made to stop waiting for it. \
                Nothing was changed; ask again.
                """)
        }
        if let number = rows.first?[0].flatMap({ Int($0) }) {
            return number >= self.number ? .committed : .notCommitted
        }
        if let time, let oldest = rows.first?[1].flatMap({ Double($0) }), time < oldest {
            throw DataStoreError(
                .invalidRequest, in: "outcome",
                "The commit is too old: its outcome was kept for \(Session.daysKept) days.")
        }
        return .notCommitted
    }
}

extension UUID {
    /// The bytes of the id.
    var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe [UInt8]($0) } }
}
