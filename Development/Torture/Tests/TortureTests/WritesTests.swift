import Foundation
import Testing
import Workload

@testable import Torture

/// What a power cut leaves of writes and names, and that what it leaves is judged.
@Suite struct DiskTests {
    /// The images that many cuts leave after some steps.
    private func images(
        _ steps: [Step], _ rules: Disk.Rules = Disk.Rules(), cuts: Int = 300
    ) -> [Image] {
        var disk = Disk(rules: rules, Image(entries: ["store": nil]))
        for (number, step) in steps.enumerated() { disk.apply(step, number: number) }
        var random = SeededGenerator(seed: 1)
        return (0..<cuts).map { _ in disk.afterPowerCut(using: &random).image }
    }

    private func contents(_ images: [Image], _ name: String) -> Set<[UInt8]?> {
        Set(images.map { image -> [UInt8]? in image.entries["store/\(name)"].flatMap { $0 } })
    }

    private static let sectors = [1, 2, 3].flatMap { (byte: UInt8) in
        [UInt8](repeating: byte, count: 512)
    }
    private static let made: [Step] = [
        .makeFile("store/a"), .write("store/a", at: 0, sectors), .sync("store/a", before: 2),
        .sync("store", before: 3),
    ]

    @Test func `What was synced stays`() {
        #expect(contents(images(Self.made), "a") == [Self.sectors])
    }

    @Test func `Of a write that was not synced any sectors survive`() {
        let found = contents(
            images(Self.made + [.write("store/a", at: 0, [UInt8](repeating: 9, count: 1536))]), "a")
        let torn = (0..<8).map { (bits: Int) -> [UInt8] in
            (0..<3).flatMap { (sector: Int) -> [UInt8] in
                let isKept = bits >> sector & 1 == 0
                return [UInt8](repeating: isKept ? UInt8(sector + 1) : 9, count: 512)
            }
        }
        #expect(found == Set(torn))
    }

    @Test func `Of two writes of one place either survives, in either order`() {
        let found = contents(
            images(Self.made + [.write("store/a", at: 0, [8]), .write("store/a", at: 0, [9])]), "a")
        #expect(Set(found.map { $0?.first }) == [1, 8, 9])
    }

    @Test func `A write through a descriptor with O_DSYNC is not undone by one before it`() {
        let found = contents(
            images(
                Self.made + [
                    .write("store/a", at: 0, [8]), .write("store/a", at: 0, [9]),
                    .syncWrite("store/a", step: 5), .write("store/a", at: 1, [7]),
                ]), "a")
        #expect(Set(found.map { $0?.first }) == [9])
        #expect(Set(found.map { $0?[1] }) == [1, 7])
    }

    @Test func `A write that began after a sync is not covered by it`() {
        let found = contents(
            images(
                Self.made + [.write("store/a", at: 0, [9]), .sync("store/a", before: 4)]), "a")
        #expect(Set(found.map { $0?.first }) == [1, 9])
    }

    @Test func `A length grows with the writes that survived, or before them`() {
        let found = contents(images(Self.made + [.write("store/a", at: 1536, [9])]), "a")
        #expect(
            found == [Self.sectors, Self.sectors + [9], Self.sectors + [0]])
    }

    @Test
    func `Names survive with a sync of the directory, or of a new file where that is promised`() {
        let steps: [Step] = [
            .makeFile("store/a"), .write("store/a", at: 0, [1]), .sync("store/a", before: 2),
        ]
        #expect(contents(images(steps), "a") == [nil, [1]])
        #expect(contents(images(steps, Disk.Rules(syncsNewNames: true)), "a") == [[1]])
        let renamed = Self.made + [.rename("store/a", to: "store/b"), .remove("store/c")]
        for image in images(renamed) {
            #expect((image.entries["store/a"] == nil) != (image.entries["store/b"] == nil))
        }
        #expect(contents(images(renamed), "b") == [nil, Self.sectors])
        #expect(
            contents(images(renamed + [.sync("store", before: 6)]), "b") == [Self.sectors])
    }

    @Test func `Changes of names survive in any order, or in theirs where that is promised`() {
        let steps = Self.made + [.makeFile("store/b"), .makeFile("store/c")]
        func pairs(_ rules: Disk.Rules) -> Set<[Bool]> {
            Set(
                images(steps, rules).map { image in
                    ["b", "c"].map { image.entries["store/\($0)"] != nil }
                })
        }
        #expect(pairs(Disk.Rules()).count == 4)
        #expect(!pairs(Disk.Rules(ordersNames: true)).contains([false, true]))
        let grown = steps + [.write("store/a", at: 1536, [9])]
        #expect(contents(images(grown), "a").count == 3)
        for image in images(grown, Disk.Rules(ordersNames: true))
        where image.entries["store/c"] == nil {
            #expect(contents([image], "a") == [Self.sectors])
        }
    }
}

#if os(Linux)
    @Suite(.serialized, .enabled(if: Tracer.obstacle == nil)) struct KilledBeforeSyncTests {
        /// The next process found a store, and did not know that its name was not on the disk.
        @Test(arguments: Engine.allCases)
        func `What a process adds survives though the one before was killed before a sync`(
            _ engine: Engine
        ) throws {
            let home = try Directory(
                in: Driver.Options.defaultDirectory, "justpersist-killed-\(UUID().uuidString)")
            defer { home.remove() }
            let campaign = WritesCampaign(
                isControl: false, templates: Templates(in: home.path))
            let subject = Subject(engine: engine, seed: 3)
            let steps = try campaign.recording("fresh", subject).steps
            // LMDB names its file so when it is made, and when it is compacted; LevelDB makes CURRENT.
            let positions = steps.indices.filter { number in
                switch steps[number] {
                case .link(_, to: "store/data.mdb"), .rename(_, to: "store/data.mdb"): true
                case .rename(_, to: "store/CURRENT"): number < 40
                default: false
                }
            }
            #expect(positions.count >= 2)
            for position in positions {
                let recording = try campaign.recording("killed@\(position + 1)", subject)
                let acknowledged = recording.steps.indices.dropFirst(position + 1).first {
                    if case .note(_, .acknowledged) = recording.steps[$0] { true } else { false }
                }
                let cut = try #require(acknowledged) + 1
                var random = SeededGenerator(seed: 1)
                let image = recording.disk(after: cut, campaign.rules(engine))
                    .afterPowerCut(chances: [0], using: &random).image
                let outcome = try campaign.judge(
                    image, recording, cut, subject,
                    in: Directory(in: home.path, "cut-\(position)"))
                #expect(outcome.failure == nil, "killed after step \(position)")
            }
        }
    }
#endif
