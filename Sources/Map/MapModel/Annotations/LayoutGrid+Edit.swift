/// Incremental edits: only the affected stacks, and those that collide with them, are evaluated again.
extension LayoutGrid {
    /// The changes of an edit, with the previous state.
    struct Edit: Sendable {
        var touched: Set<Int32> = []
        var dead: [Int32] = []
        var earlierTops: [Int32: AnnotationID] = [:]
        /// −1 for annotations added by the edit.
        var earlierStacks: [AnnotationID: Int32] = [:]
    }

    /// Begins an edit. Calls of `remove` and `add` follow, then `settle`.
    mutating func beginEdit() {
        edit = Edit()
        isEditing = true
        clustering.beginEdit()
        merging.beginEdit()
        placing.beginEdit()
    }

    /// Removes the item in `slot`, which `store` still has.
    mutating func remove(_ slot: Int32, _ store: ItemStore) {
        let index = links[Int(slot)].stack
        let id = store.records[Int(slot)].id
        noteTop(index, store)
        if edit.earlierStacks[id] == nil { edit.earlierStacks[id] = index }
        edit.touched.insert(index)
        take(slot, store)
        if stacks[Int(index)].count == 0 { edit.dead.append(index) }
    }

    /// Adds the item in `slot`, which `store` has already.
    mutating func add(_ slot: Int32, _ store: ItemStore) {
        if Int(slot) >= links.count {
            let missing = Int(slot) + 1 - links.count
            links.append(contentsOf: repeatElement(Link(stack: -1, next: -1, previous: -1), count: missing))
        }
        let id = store.records[Int(slot)].id
        if edit.earlierStacks[id] == nil { edit.earlierStacks[id] = -1 }
        edit.touched.insert(put(slot, store))
    }

    /// Records the top annotation of a stack before it may change.
    mutating func noteTop(_ index: Int32, _ store: ItemStore) {
        if edit.earlierTops[index] == nil { edit.earlierTops[index] = store.records[Int(stacks[Int(index)].top)].id }
    }

    /// Ends the edit and evaluates the affected stacks. Returns, for each annotation that now represents or may represent a view,
    /// the one whose view showed it before.
    mutating func settle(_ store: ItemStore) -> [AnnotationID: AnnotationID] {
        for index in edit.touched where Self.isClusterable(stacks[Int(index)].kind) {
            let stack = stacks[Int(index)]
            clustering.set(
                index, to: stack.count > 0 ? Self.entry(of: stack, isCluster: false, .always, store, world: world) : nil
            )
        }
        clustering.settle()

        var affected = edit.touched
        for (index, earlier) in clustering.earlierWinners {
            affected.insert(index)
            if earlier >= 0 { affected.insert(earlier) }
        }
        for index in affected {
            let winner = clustering.winner(of: index)
            if winner >= 0 { affected.insert(winner) }
        }
        for index in affected where Self.isClusterable(stacks[Int(index)].kind) {
            count(index)
            let stack = stacks[Int(index)]
            let leads = clustering.winner(of: index) == index
            merging.set(
                index,
                to: leads ? Self.entry(of: stack, isCluster: stack.isCluster, .always, store, world: world) : nil)
        }
        merging.settle()

        affected.formUnion(merging.earlierWinners.keys)
        for index in affected {
            let stack = stacks[Int(index)]
            let competes = Self.isClusterable(stack.kind) ? merging.winner(of: index) == index : stack.count > 0
            placing.set(
                index,
                to: competes
                    ? Self.entry(of: stack, isCluster: stack.isCluster, .amongEquals, store, world: world) : nil)
        }
        placing.settle()

        var origins: [AnnotationID: AnnotationID] = [:]
        for index in affected.union(placing.earlierWinners.keys) where stacks[Int(index)].count > 0 {
            let id = store.records[Int(stacks[Int(index)].top)].id
            if let representative = earlierRepresentative(of: id, on: index, store) { origins[id] = representative }
        }
        freeStacks += edit.dead
        isEditing = false
        return origins
    }

    /// Counts the members of the stack `index` in `clustering`.
    private mutating func count(_ index: Int32) {
        var stack = stacks[Int(index)]
        (stack.totalCount, stack.totalDigest) = (0, 0)
        if clustering.winner(of: index) == index {
            (stack.totalCount, stack.totalDigest) = (stack.count, stack.digest)
            clustering.forEachJoined(index) {
                stack.totalCount += stacks[Int($0)].count
                stack.totalDigest ^= stacks[Int($0)].digest
            }
        }
        stacks[Int(index)] = stack
    }

    /// The annotation whose view showed `id`, now the top of the stack `index`, before the edit.
    private func earlierRepresentative(of id: AnnotationID, on index: Int32, _ store: ItemStore) -> AnnotationID? {
        let stack = edit.earlierStacks[id] ?? index
        guard stack >= 0 else { return nil }
        var representative = stack
        if Self.isClusterable(stacks[Int(stack)].kind) {
            representative = clustering.earlierWinners[stack] ?? clustering.winner(of: stack)
            guard representative >= 0 else { return nil }
            representative = merging.earlierWinners[representative] ?? merging.winner(of: representative)
        } else if edit.earlierTops[stack].map({ $0 != id }) ?? false {
            // It was not the visible one of its stack.
            return nil
        }
        guard representative >= 0 else { return nil }
        let place = placing.earlierWinners[representative] ?? placing.winner(of: representative)
        guard place >= 0 else { return nil }
        return edit.earlierTops[place] ?? store.records[Int(stacks[Int(place)].top)].id
    }
}
