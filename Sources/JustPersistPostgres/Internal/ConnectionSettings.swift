import JustPersist

extension PostgresConfiguration {
    /// libpq's parameters of a connection.
    func connectionParameters(timeout: Int) -> [(String, String)] {
        var parameters = [
            ("client_encoding", "UTF8"), ("application_name", applicationName),
            ("fallback_application_name", "JustPersist"), ("sslmode", encryption.rawValue),
            // For each server.
            ("connect_timeout", "\(max(2, timeout / max(1, hosts.count)))"),
            // A server that has vanished is noticed within half a minute.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
        ]
        if !hosts.isEmpty {
            parameters.append(("host", hosts.map(\.name).joined(separator: ",")))
            if hosts.contains(where: { $0.port != nil }) {
                let ports = hosts.map { $0.port.map(String.init) ?? "" }
                parameters.append(("port", ports.joined(separator: ",")))
            }
            // A standby may lag behind, so it is used only if it is the one server that is named.
            if hosts.count > 1 {
                parameters.append(("target_session_attrs", "read-write"))
            }
        }
        if let user { parameters.append(("user", user)) }
        if let database { parameters.append(("dbname", database)) }
        return parameters
    }

    /// The statements that begin a session on the server; the last one asks for settings without which no commit is durable.
    ///
    /// Keys are found by the index, whatever the server estimates: statistics of a table that grows are out of date. A
    /// warning is the only sign of a commit that did not wait for a standby.
    var settings: String {
        """
        SET client_min_messages = warning; SET lock_timeout = \(lockTimeout * 1_000);
        SET statement_timeout = 0; SET idle_in_transaction_session_timeout = \(idleTimeout * 1_000);
        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
        SET default_transaction_read_only = \(isReadOnly ? "on" : "off");
        """
            + (durability == .relaxed
                ? "SET synchronous_commit = off;"
                // Stronger settings of the server stay.
                : """
                SELECT set_config('synchronous_commit', 'on', false) \
                WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
                """)
            + "SELECT current_setting('fsync'), current_setting('full_page_writes')"
    }
}
