import JustPersist

/// The kind of history to generate.
struct HistoryProfile: Sendable {
    /// The types of the items.
    ///
    /// The name of one is a prefix of another's.
    var types = ["Model", "ModelB"]
    /// The attributes.
    ///
    /// One of them is not ASCII.
    var attributes = ["a", "b", "c", "é"]
    /// The steps, counted over all blocks.
    var steps = 150
    /// The most steps in one write block.
    var stepsPerBlock = 12
    /// The number of items that a history creates at its beginning, in one block.
    var itemsAtFirst = 0
    /// The number of steps in a write block that are requests, of 10.
    var requests = 2
    /// The number of blocks that are read blocks, of 10.
    var reads = 2
    /// The number of write blocks that throw, of 10.
    var rollbacks = 0
    /// The number of operations that close and open the store again, of 10.
    var reopenings = 0
    /// The number of operations that make, merge or discard a child, of 10.
    ///
    /// Blocks then run in any of the stores.
    var children = 0
    /// The number of levels of children.
    var childLevels = 1
    /// Whether items are also changed through mutable versions of items that an earlier block has read.
    var thaws = true
}

/// Generates histories, which depend only on a seed and a profile.
struct HistoryGenerator {
    private let profile: HistoryProfile
    private let values: ModelValues
    private let predicates: ModelPredicates
    private var random: SeededGenerator
    private var items = 0
    /// The children that are open, each with its parent; 0 is the store itself.
    private var parents: [Int: Int] = [:]
    private var children = 0

    init(_ profile: HistoryProfile, _ capabilities: DataStoreCapabilities, seed: UInt64) {
        self.profile = profile
        values = ModelValues(kinds: capabilities.valueKinds)
        predicates = ModelPredicates(attributes: profile.attributes, capabilities)
        random = SeededGenerator(seed: seed)
    }

    /// The next history.
    mutating func history() -> ModelHistory {
        items = 0
        parents = [:]
        children = 0
        var operations: [ModelOperation] = []
        if profile.itemsAtFirst > 0 {
            let steps = (0..<profile.itemsAtFirst).map { _ in create() }
            operations.append(.write(steps))
        }
        var count = 0
        while count < profile.steps {
            let next = nextOperations()
            operations += next
            count += ModelHistory(operations: next).stepCount
        }
        return ModelHistory(operations: operations)
    }

    private mutating func isTime(_ tenths: Int) -> Bool { random.int(in: 0..<10) < tenths }

    private mutating func nextOperations() -> [ModelOperation] {
        if isTime(profile.reopenings) { return [.reopen] }
        if isTime(profile.children) { return changeOfChildren() }
        let store = random.pick([0] + parents.keys.sorted())
        if isTime(profile.reads) {
            return [.read((0..<random.int(in: 1..<5)).map { _ in request() }, store: store)]
        }
        let steps = (0..<random.int(in: 1..<profile.stepsPerBlock + 1)).map { _ in step() }
        return [.write(steps, store: store, isRolledBack: isTime(profile.rollbacks))]
    }

    private mutating func changeOfChildren() -> [ModelOperation] {
        let open = parents.keys.sorted()
        if open.isEmpty || (open.count < 5 && random.int(in: 0..<3) == 0) {
            let possible = ([0] + open).filter { level(of: $0) < profile.childLevels }
            children += 1
            let parent = random.pick(possible)
            parents[children] = parent
            return [.makeChild(children, of: parent)]
        }
        let child = random.pick(open)
        if random.int(in: 0..<4) > 0 {
            return [.merge(child, policy: random.pick(MergePolicy.allCases))]
        }
        // The child's own children are discarded first, because the model does not define their behavior without it.
        let family = open.filter { ancestors(of: $0).contains(child) }.reversed()
        for number in family { parents[number] = nil }
        return family.map { .discard($0) }
    }

    /// The child itself and its ancestors, except the root store.
    private func ancestors(of child: Int) -> [Int] {
        Array(sequence(first: child) { parents[$0].flatMap { $0 == 0 ? nil : $0 } })
    }

    private func level(of store: Int) -> Int { store == 0 ? 0 : ancestors(of: store).count }

    private mutating func step() -> ModelStep {
        if isTime(profile.requests) { return .request(request()) }
        let attribute = random.pick(profile.attributes)
        switch random.int(in: 0..<20) {
        case 0..<6: return create()
        case 6: return insert()
        case 7..<14:
            return .set(item: item(), attribute: attribute, value: value())
        case 14, 15:
            return profile.thaws
                ? .setThawed(item: item(), attribute: attribute, value: value())
                : .set(item: item(), attribute: attribute, value: value())
        case 16: return .set(item: item(), attribute: attribute, value: .null)
        case 17, 18: return .delete(item: item())
        default:
            // All items are deleted rarely, because a history without items tests little.
            if random.int(in: 0..<4) > 0 { return create() }
            return .deleteAll(types: profile.types.filter { _ in random.bool() })
        }
    }

    private mutating func create() -> ModelStep {
        items += 1
        return .create(item: items, type: random.pick(profile.types), values: valuesOfItem())
    }

    /// Half of the inserted items were in the store before, or still are.
    private mutating func insert() -> ModelStep {
        var number = item()
        if random.bool() {
            items += 1
            number = items
        }
        return .insert(item: number, type: random.pick(profile.types), values: valuesOfItem())
    }

    private mutating func item() -> Int { random.int(in: 0..<items + 1) }

    private mutating func value() -> DataStoreValue { values.value(items: items, using: &random) }

    private mutating func valuesOfItem() -> [String: DataStoreValue] {
        var result: [String: DataStoreValue] = [:]
        for attribute in profile.attributes where random.bool() { result[attribute] = value() }
        return result
    }

    private mutating func request() -> ModelRequest {
        var request = ModelRequest(type: random.pick(profile.types))
        if random.int(in: 0..<4) > 0 {
            request.predicate = predicates.predicate(items: items, using: &random)
        }
        for _ in 0..<random.pick([0, 0, 1, 1, 2]) {
            request.sort.append(
                DataStoreSortDescriptor(
                    key: random.pick(profile.attributes + ["a.x"]), ascending: random.bool()))
        }
        request.offset = random.pick([nil, nil, nil, 0, 1, 3, 1000, Int.max])
        request.limit = random.pick([nil, nil, nil, 0, 1, 2, 5, 1000, Int.max])
        return request
    }
}
