/**
 * How much work a JSON Schema asks for: how many of its schemas look at one value, level by level of nested values. A
 * schema that refers to itself looks at the next level again; where it does so twice, it looks at the tenth level a
 * thousand times. Source: contract 4, "publication refuses recursion that fans out".
 */
import { type JsonSchema, partsOf, referencesOf, schemasIn, targetsWithin } from './structure.ts'

/** JSON is nested so deep at most. */
export const levelsMax = 32

/**
 * What is counted where only one of several branches has to fit (`anyOf`, `oneOf`), or where a part looks at some names
 * only: `all`: each of them, which is never too little; `one`: the largest, which is never too much.
 */
export type Counting = 'all' | 'one'

/** In-place words whose parts all look at the value. */
const together = new Set(['allOf', 'not', 'if'])
const eitherOr = new Set(['anyOf', 'oneOf', 'then', 'else'])
/** They look at values that have a property. */
const conditional = new Set(['dependentSchemas', 'dependencies'])

/** Where the parts of a value are: by name, by index, or anywhere else. */
type Place = `.${string}` | `#${string}` | Rest
type Rest = '*.' | '*#'

interface Node {
  own: number
  together: Node[]
  branches: Node[]
  named: Map<Place, Node[]>
  elsewhere: Map<Rest, Node[]>
}

const restOf = (place: Place): Rest => (place === '*.' || place.startsWith('.') ? '*.' : '*#')

/** The looks of a schema. `own`: what one look of one schema at one value counts, without the schemas below it. */
export class Looks {
  readonly #root: Node
  readonly #all: Node[]

  constructor(
    root: JsonSchema,
    private readonly counting: Counting,
    own: (schema: JsonSchema) => number = () => 1,
  ) {
    const target = targetsWithin(root)
    const nodes = new Map<JsonSchema, Node>()
    for (const { schema } of schemasIn(root, '')) {
      nodes.set(schema, { own: own(schema), together: [], branches: [], named: new Map(), elsewhere: new Map() })
    }
    for (const [schema, node] of nodes) {
      for (const { word, name, part } of partsOf(schema)) this.#place(node, nodes.get(part)!, word, name)
      for (const { reference } of referencesOf(schema)) {
        const found = target(reference)
        const to = found && nodes.get(found)
        if (to) node.together.push(to)
      }
    }
    this.#root = nodes.get(root)!
    this.#all = [...nodes.values()]
  }

  #place(node: Node, part: Node, word: string, name: string | undefined): void {
    const under = <Key>(places: Map<Key, Node[]>, place: Key) => {
      const there = places.get(place)
      if (there) there.push(part)
      else places.set(place, [part])
    }
    if (together.has(word)) node.together.push(part)
    else if (eitherOr.has(word)) node.branches.push(part)
    else if (conditional.has(word)) {
      if (this.counting === 'all') node.together.push(part)
    } else if (word === 'properties') under(node.named, `.${name}` as Place)
    else if (word === 'prefixItems' || (word === 'items' && name !== undefined)) under(node.named, `#${name}` as Place)
    else if (['patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'].includes(word)) {
      under(node.elsewhere, '*.')
    } else if (['items', 'additionalItems', 'unevaluatedItems', 'contains'].includes(word)) under(node.elsewhere, '*#')
  }

  /** Whether each schema looks at a value less often than so; without end is more often. */
  within(max: number): boolean {
    const counts = this.#atOnce()
    return this.#all.every((node) => counts(node) <= max)
  }

  /**
   * What is counted at one value, by its level below the value that the schema is for. The list ends early where it
   * goes on like its last item, and where that is more than `max`. `within` must have been true of some number.
   */
  byLevel(max: number): number[] {
    let counts = new Map<Node, number>()
    const atOnce = this.#atOnce()
    for (const node of this.#all) counts.set(node, atOnce(node))
    const levels = [counts.get(this.#root)!]
    while (levels.length <= levelsMax && levels.at(-1)! <= max) {
      const next = this.#below(counts)
      levels.push(next.get(this.#root)!)
      if (this.#all.every((node) => next.get(node) === counts.get(node))) break
      counts = next
    }
    return levels
  }

  #atOnce(): (node: Node) => number {
    const counted = new Map<Node, number>()
    const count = (node: Node): number => {
      const known = counted.get(node)
      if (known !== undefined) return known
      counted.set(node, Number.POSITIVE_INFINITY)
      let sum = node.own
      for (const part of node.together) sum += count(part)
      const branches = node.branches.map(count)
      sum += this.counting === 'all' ? branches.reduce((a, b) => a + b, 0) : Math.max(0, ...branches)
      counted.set(node, sum)
      return sum
    }
    return count
  }

  /** From the counts of one level those of the level above it. */
  #below(counts: Map<Node, number>): Map<Node, number> {
    const known = new Map<Node, Map<Place, number>>()
    const placesOf = (node: Node): Map<Place, number> => {
      const found = known.get(node)
      if (found) return found
      let places = this.#ownPlaces(node, counts)
      for (const part of node.together) places = merged(places, placesOf(part), (a, b) => a + b)
      let branches = new Map<Place, number>()
      const join = this.counting === 'all' ? (a: number, b: number) => a + b : Math.max
      for (const part of node.branches) branches = merged(branches, placesOf(part), join)
      places = merged(places, branches, (a, b) => a + b)
      known.set(node, places)
      return places
    }
    return new Map(this.#all.map((node) => [node, Math.max(0, ...placesOf(node).values())]))
  }

  #ownPlaces({ named, elsewhere }: Node, counts: Map<Node, number>): Map<Place, number> {
    const sum = (nodes: Node[] = []) => nodes.reduce((total, node) => total + counts.get(node)!, 0)
    const most = (nodes: Node[] = []) => Math.max(0, ...nodes.map((node) => counts.get(node)!))
    const places = new Map<Place, number>()
    for (const [place, nodes] of elsewhere) places.set(place, this.counting === 'all' ? sum(nodes) : most(nodes))
    for (const [place, nodes] of named) {
      places.set(place, sum(nodes) + (this.counting === 'all' ? (places.get(restOf(place)) ?? 0) : 0))
    }
    return places
  }
}

function merged(
  one: Map<Place, number>,
  other: Map<Place, number>,
  join: (a: number, b: number) => number,
): Map<Place, number> {
  if (one.size === 0 || other.size === 0) return one.size === 0 ? other : one
  const both = new Map<Place, number>()
  const of = (places: Map<Place, number>, place: Place) => places.get(place) ?? places.get(restOf(place)) ?? 0
  for (const place of [...one.keys(), ...other.keys()]) {
    if (!both.has(place)) both.set(place, join(of(one, place), of(other, place)))
  }
  return both
}
