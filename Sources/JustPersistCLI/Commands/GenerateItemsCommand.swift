import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistCoreData

/// Writes item classes for a model of Core Data.
struct GenerateItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-items",
        abstract: "Write item classes for a model of Core Data.",
        discussion: """
            The classes declare what import-coredata declares for a store of the model: attributes, relationships, delete rules, \
            indexes, uniqueness and former names. The current version of the model is used. The source is yours to change; an existing \
            file is not overwritten.
            """)

    @Argument(help: "An .xcdatamodeld, an .xcdatamodel, a .momd or a .mom.", completion: .file())
    var model: String
    @Option(help: "The file to write, in place of standard output.", completion: .file())
    var output: String?

    func run() throws {
        let source = try ItemClasses(model: URL(filePath: model)).source
        guard let output else {
            let out = Output()
            try out.bytes(source.utf8)
            return try out.flush()
        }
        do {
            try Data(source.utf8).write(to: URL(filePath: output), options: .withoutOverwriting)
        } catch {
            throw DataStoreError(
                .invalidInput, in: "generate-items",
                "“\(output)” cannot be written: \(Self.reason(error)). Name another file (--output)."
            )
        }
    }

    /// The words of the system for an error of Foundation.
    private static func reason(_ error: any Error) -> String {
        var next: (any Error)? = error
        while let error = next {
            if let posix = error as? POSIXError { return posix.localizedDescription }
            if (error as? CocoaError)?.code == .fileWriteFileExists { return "it exists already" }
            let inner = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            guard inner != nil else { return error.localizedDescription }
            next = inner
        }
        return "\(error)"
    }
}
