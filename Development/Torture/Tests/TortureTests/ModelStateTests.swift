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
                case .place(_, let parcel): kinds.insert(parcel == nil ? "take out" : "place")
                case .list(_, _, let place): kinds.insert(place == nil ? "list" : "list at a place")
                case .unlist: kinds.insert("unlist")
                }
            }
        }
        #expect(
            kinds == [
                "create", "update", "delete", "deleteAll", "take out", "place", "list",
                "list at a place", "unlist",
            ])
        #expect(largest > 8192)
    }

    @Test func `Links are between existing items, and both sides have them`() {
        let state = ModelState(of: Workload(seed: 5), after: 0..<60)
        for relation in Workload.Relation.allCases {
            var sides: [Workload.Kind: Set<Workload.Link>] = [:]
            for note in state.keys(.note) {
                for parcel in state.parcels(relation, of: note) {
                    sides[.note, default: []].insert(
                        Workload.Link(relation, note: note, parcel: parcel))
                }
            }
            for parcel in state.keys(.parcel) {
                for note in state.notes(relation, of: parcel) {
                    sides[.parcel, default: []].insert(
                        Workload.Link(relation, note: note, parcel: parcel))
                }
            }
            #expect(sides[.note] == sides[.parcel])
            #expect(sides[.note]?.count ?? 0 > 10)
        }
    }
}
