#if Inspector
    import ArgumentParser
    import Dispatch
    import Foundation
    import JustPersist
    import JustPersistCommandLine
    import JustPersistInspector

    /// Shows stores in a browser.
    struct InspectCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect", abstract: "Look into stores with a browser.",
            discussion: """
                The address that is printed opens a page with the types and items of the stores: filters by predicates, \
                sorts, links between items, frequent values, live changes, bytes, checks and comparisons. Nothing is changed, \
                unless --write is given. Ctrl-C ends it.

                The page is served on this machine alone, and only to a browser that has the token in the address: do not \
                pass it on. On another machine, forward the port: ssh -L 8080:127.0.0.1:8080 HOST, with --port 8080 there and \
                the same port here.

                A LevelDB store that a program has open can only be shown by that program: see the product \
                JustPersistInspector.
                """)

        @Argument(help: .init(storeHelp), completion: .stores) var stores: [String]
        @Option(parsing: .unconditional, help: "The port; 0 for any that is free.")
        var port: UInt16 = 0
        @Option(
            parsing: .unconditional,
            help: "The hours without a request with the token after which it ends.")
        var hours = 8.0
        @Option(
            parsing: .unconditionalSingleValue,
            help: .init(
                "An attribute whose values are not shown, TYPE.ATTRIBUTE, or TYPE.* for all of a type. Repeatable.",
                valueName: "attribute"))
        var redact: [String] = []
        @Flag(
            help:
                "Allow changes: the page collects them in a draft, shows them, and commits them in one block."
        )
        var write = false
        @Flag(help: "Show whole paths of stores in the page.") var verbose = false

        func validate() throws {
            if stores.isEmpty { throw ValidationError("Name a store.") }
            if !(hours > 0 && hours < 1e6) {
                throw ValidationError("--hours must be more than 0, and less than a million.")
            }
        }

        func run() throws {
            let opened = try stores.map {
                try write ? OpenStore.changing($0) : OpenStore.reading($0)
            }
            if write, let place = opened.firstIndex(where: { $0.store.capabilities.isReadOnly }) {
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "“\(stores[place])” is opened for reading only. Leave --write or readOnly=true out."
                )
            }
            let named = zip(stores, opened).map {
                StoreInspector.NamedStore(name(of: $0), $1.store)
            }
            // It also ends with the program that started it.
            let parent = getppid()
            guard var inspector = StoreInspector(named) else { return }
            inspector.port = port
            inspector.hiddenAttributes = redact
            inspector.allowsChanges = write
            inspector.idleTime = .seconds(hours * 3600)
            let interruption = Interruption()
            defer { withExtendedLifetime((interruption, opened)) {} }
            let session = try waiting { [inspector] in try await inspector.start() }
            let output = Output()
            try output.line("Open \(session.url)")
            try output.line("Ctrl-C ends the inspector.")
            try output.flush()
            let isOver = Locked(false)
            Task.detached {
                await session.waitUntilStopped()
                isOver.withLock { $0 = true }
            }
            while !isOver.withLock({ $0 }), getppid() == parent {
                do { try interruption.check("Interrupted.") } catch {
                    try waiting { await session.stop() }
                    throw error
                }
                Thread.sleep(forTimeInterval: 0.1)
            }
            try waiting { await session.stop() }
            switch session.endReason {
            case .idle:
                try output.line("The inspector has ended: there was no request for \(hours) h.")
            case .wrongTokens:
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "The inspector has ended, because wrong tokens were sent. Close pages of earlier inspectors, and start it again."
                )
            case nil: break
            }
            try output.flush()
        }

        /// The last component of a store's path.
        private func name(of store: String) -> String {
            guard !verbose, let url = try? StoreURL(store), !url.location.isEmpty else {
                return store
            }
            return "\(url.scheme):\(URL(filePath: url.location).lastPathComponent)"
        }

        /// Waits for asynchronous work.
        private func waiting<Value: Sendable>(
            _ work: @escaping @Sendable () async throws -> Value
        ) throws -> Value {
            let result = Locked<Result<Value, any Error>?>(nil)
            let semaphore = DispatchSemaphore(value: 0)
            Task.detached {
                let value: Result<Value, any Error>
                do { value = .success(try await work()) } catch { value = .failure(error) }
                result.withLock { $0 = value }
                semaphore.signal()
            }
            semaphore.wait()
            guard let value = result.withLock({ $0 }) else { throw CancellationError() }
            return try value.get()
        }
    }
#endif
