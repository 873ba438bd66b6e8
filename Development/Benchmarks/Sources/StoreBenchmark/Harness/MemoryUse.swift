import ArgumentParser
import Foundation

/// The growth of a fresh process's memory after fetching all items as objects and keeping all of them.
struct MemoryUse: Codable {
    var side: String
    /// Growth of the peak: the side's objects, its caches, and the pages it mapped.
    let peak: Int
    /// Growth of the memory that is not backed by a file, while the objects were alive.
    let own: Int
    /// The bytes of the fetched data, in a flat layout.
    var data = 0

    var ownPerByte: Double { Double(own) / Double(max(1, data)) }
    /// The most own memory per byte of data.
    var goal: Double? { side.hasPrefix("JustPersist") ? 2.5 : nil }

    /// Measures in a separate process, so that no other side's memory is counted.
    static func measure(_ side: Side, at place: URL, data: Int) throws -> MemoryUse? {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [MemoryCommand.configuration.commandName ?? "", side.name, place.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var use = try JSONDecoder().decode(MemoryUse?.self, from: answer)
        use?.data = data
        return use
    }
}

/// Opens a filled store, fetches all items, and prints the memory use as JSON.
struct MemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-memory", shouldDisplay: false)

    @Argument var side: String
    @Argument var place: String

    func run() throws {
        guard let side = Side.all.first(where: { $0.name == side }) else {
            throw ValidationError("There is no side named \(side).")
        }
        let store = try side.open(URL(filePath: place), .none)
        let before = ProcessMemory.now()
        var during: ProcessMemory?
        try store.holdAll { during = ProcessMemory.now() }
        try store.close()
        var use: MemoryUse?
        if let before, let during {
            use = MemoryUse(
                side: side.name, peak: during.peak - before.peak, own: during.own - before.own)
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(use))
    }
}
