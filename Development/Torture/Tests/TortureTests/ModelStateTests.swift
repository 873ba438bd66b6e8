import Testing
import Workload

/// The oracle: what a workload holds depends on its seed and its blocks, and on nothing else.
@Suite struct ModelStateTests {
    @Test func `The same seed gives the same blocks and values`() {
        let (one, other) = (Workload(seed: 5), Workload(seed: 5))
        #expect(ModelState(of: one, after: 0..<40) == ModelState(of: other, after: 0..<40))
        #expect(
            one.contents(.parcel, key: 3, block: 9) == other.contents(.parcel, key: 3, block: 9))
    }

    @Test func `The block that gave an item its values is one that changes it`() {
        let workload = Workload(seed: 5)
        let state = ModelState(of: workload, after: 0..<40)
        for kind in Workload.Kind.allCases {
            for key in state.keys(kind) {
                let changing = (0..<40).filter { workload.changes(kind, key: key, in: $0) }
                #expect(changing.last == state.block(kind, key: key))
            }
        }
    }

    @Test func `A block left out leaves its items out`() {
        let workload = Workload(seed: 5)
        let state = ModelState(of: workload, after: [0, 2])
        let middle = Workload.keysPerBlock..<2 * Workload.keysPerBlock
        for kind in Workload.Kind.allCases {
            #expect(state.keys(kind).allSatisfy { !middle.contains($0) })
            #expect(state.keys(kind).allSatisfy { [0, 2].contains(state.block(kind, key: $0)) })
        }
    }

    @Test func `Blocks make, change and delete, items larger than a page among them`() {
        let workload = Workload(seed: 5)
        var largest = 0
        var kinds: Set<String> = []
        for number in 0..<60 {
            for operation in workload.block(number) {
                switch operation {
                case .create(let kind, let key):
                    kinds.insert("create")
                    largest = max(
                        largest, workload.contents(kind, key: key, block: number).body.count)
                case .update: kinds.insert("update")
                case .delete: kinds.insert("delete")
                case .deleteAll: kinds.insert("deleteAll")
                }
            }
        }
        #expect(kinds == ["create", "update", "delete", "deleteAll"])
        #expect(largest > 8192)
    }
}
