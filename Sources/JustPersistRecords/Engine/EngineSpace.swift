/// How an engine uses the pages of its file.
package struct EngineSpace: Sendable, Encodable {
    /// A read block of any process.
    package struct Reader: Sendable, Encodable {
        package let process: Int
        /// The number of commits since its snapshot.
        package let age: UInt64

        package init(process: Int, age: UInt64) {
            self.process = process
            self.age = age
        }
    }

    package let pageSize: Int
    /// The pages of the file that are in use or free.
    package let pages: Int
    package let freePages: Int
    /// Those of the free pages that no commit can use until the oldest reader has ended.
    package let pinnedPages: Int
    package let readers: [Reader]

    package init(
        pageSize: Int, pages: Int, freePages: Int, pinnedPages: Int, readers: [Reader]
    ) {
        self.pageSize = pageSize
        self.pages = pages
        self.freePages = freePages
        self.pinnedPages = pinnedPages
        self.readers = readers
    }
}

/// An engine that knows how its pages are used.
package protocol SpaceReporting: KeyValueEngine {
    func space() throws -> EngineSpace
}
