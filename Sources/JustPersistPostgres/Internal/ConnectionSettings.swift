import Foundation
import JustPersist

extension PostgresConfiguration {
    /// libpq's parameters of a connection to a server.
    ///
    /// - Parameter server: The server; `nil` for libpq's choice.
    func connectionParameters(to server: Host?, timeout: Int) -> [(String, String)] {
        var parameters = [
            ("client_encoding", "UTF8"), ("application_name", applicationName),
            ("fallback_application_name", "JustPersist"), ("sslmode", encryption.rawValue),
            // For each address of the server.
            ("connect_timeout", "\(timeout)"),
            // A server that has vanished is noticed within 20 seconds, about when a cluster has another one.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"),
        ]
        // With a ticket of Kerberos, libpq would prefer its encryption, which does not follow the mode of encryption.
        if ProcessInfo.processInfo.environment["PGGSSENCMODE"] == nil {
            parameters.append(("gssencmode", "disable"))
        }
        if let server {
            parameters.append(("host", server.name))
            if let port = server.port { parameters.append(("port", "\(port)")) }
        }
        // A standby may lag behind, so it is used only if it is the one server that is named.
        if hosts.count > 1 { parameters.append(("target_session_attrs", "read-write")) }
        if let user { parameters.append(("user", user)) }
        if let database { parameters.append(("dbname", database)) }
        return parameters
    }

    /// The query for the settings without which no commit is durable.
    static let guarantees = "SELECT current_setting('fsync'), current_setting('full_page_writes')"

    /// The query that makes the settings of a session on the server, or of the transaction that has begun.
    ///
    /// Keys are found by the index, whatever the server estimates: statistics of a table that grows are out of date. A
    /// warning is the only sign of a commit that did not wait for a standby.
    func settings(ofTransaction: Bool) -> String {
        // Stronger settings of the server stay.
        let synchronousCommit = """
            CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN 'on' \
            ELSE current_setting('synchronous_commit') END
            """
        var settings = [
            ("client_min_messages", "'warning'"), ("lock_timeout", "'\(lockTimeout * 1_000)'"),
            ("statement_timeout", "'0'"),
            ("idle_in_transaction_session_timeout", "'\(idleTimeout * 1_000)'"),
            ("plan_cache_mode", "'force_generic_plan'"), ("enable_seqscan", "'off'"),
            ("enable_bitmapscan", "'off'"), ("jit", "'off'"),
            ("synchronous_commit", durability == .relaxed ? "'off'" : synchronousCommit),
        ]
        if !ofTransaction {
            settings += [
                ("tcp_keepalives_idle", "'10'"), ("tcp_keepalives_interval", "'5'"),
                ("tcp_keepalives_count", "'3'"),
                ("default_transaction_read_only", isReadOnly ? "'on'" : "'off'"),
            ]
        }
        return "SELECT "
            + settings.map { "set_config('\($0)', \($1), \(ofTransaction))" }.joined(
                separator: ", ")
    }
}
