/** Cycles in a graph: steps that wait for each other, delegates that pass work around. Pure. */
type Graph = ReadonlyMap<string, readonly string[]>

/**
 * The shortest cycle through each node that is in no cycle reported before: `[a, b]` is a → b → a.
 * Nodes that are not keys of the graph lead nowhere.
 */
export function cyclesOf(graph: Graph): string[][] {
  const reported = new Set<string>()
  const cycles: string[][] = []
  for (const node of graph.keys()) {
    if (reported.has(node)) continue
    const cycle = wayBack(graph, node)
    if (!cycle) continue
    for (const member of cycle) reported.add(member)
    cycles.push(cycle)
  }
  return cycles
}

/** `a → b → a` */
export const drawn = (cycle: readonly string[]): string => [...cycle, cycle[0]].join(' → ')

function wayBack(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return wayTo(node, start, cameFrom)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, node)
      queue.push(next)
    }
  }
  return undefined
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end]
  for (let node = end; node !== start; ) {
    node = cameFrom.get(node)!
    way.unshift(node)
  }
  return way
}
