#if os(Linux)
    import Foundation
    import Testing

    /// Processes with one number, each in a PID namespace of its own, as containers are.
    @Suite struct NamespaceTests {
        private static let isolated = ["-p", "-f", "--mount-proc", "--kill-child"]

        private static let isAvailable: Bool = {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["unshare"] + isolated + ["true"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        /// LMDB knows its readers by the numbers of their processes.
        @Test(.enabled(if: isAvailable, "no PID namespace can be made"))
        func aProcessWithTheSameNumberInAnotherContainerIsNamedInTheError() throws {
            let tool = try Tool()
            let store = tool.store("lmdb")
            try #expect(
                tool.inShell("echo '{\"n\":1}' | justpersist import \(store) T -").status == 0)
            let isolated = "unshare " + Self.isolated.joined(separator: " ")
            // The first has the store open as long as its input is.
            let line = """
                mkfifo fifo; (\(isolated) justpersist import \(store) T - --format jsonl < fifo) & exec 3> fifo; \
                for i in $(seq 1 100); do echo '{"n":2}' >&3; done; sleep 1; \
                \(isolated) justpersist query \(store) T --format count; status=$?; exec 3>&-; wait; exit $status
                """
            let run = try tool.inShell(line)
            #expect(run.status != 0)
            #expect(run.errors.contains("PID namespace"), "\(run.errors)")
            #expect(!run.errors.contains("Check the disk"))
            let count = try tool("query", store, "T", "--format", "count")
            #expect(count.output == "101\n")
        }
    }
#endif
