/**
 * Estimates the work of a JSON Schema: how many of its schemas visit one value, by level of nesting. A recursive schema
 * visits the next level again; if it recurses twice, it visits the tenth level a thousand times. Source: contract 4,
 * "publication refuses recursion that fans out".
 */

import { isObject } from '../json.ts'
import { LinearPattern } from './patterns.ts'
import { type JsonSchema, type Part, partsOf, referencesOf, schemasIn, targetsWithin } from './structure.ts'

/** The deepest nesting of JSON. */
export const levelsMax = 32

/**
 * How alternatives (`anyOf`, `oneOf`) and parts that apply to some names only are counted: `all` counts each of them, an
 * upper bound; `one` counts the largest, a lower bound. Of recursive schemas, `one` too counts each that may apply to
 * the same name or item: such a value can be made.
 */
type Counting = 'all' | 'one'

/** In-place keywords whose parts all visit the value. */
const together = new Set(['allOf', 'not', 'if'])
const eitherOr = new Set(['anyOf', 'oneOf', 'then', 'else'])
/** Keywords that apply to objects with a given property. */
const conditional = new Set(['dependentSchemas', 'dependencies'])

/** Keywords whose parts may apply to the same name or item as others beside them. */
const mayOverlap = new Set([...conditional, 'patternProperties', 'contains'])

/** The place of a part of a value: by name, by index, or any other. */
type Place = `.${string}` | `#${string}` | Rest
type Rest = '*.' | '*#'

interface Node {
  own: number
  together: Node[]
  branches: Node[]
  named: Map<Place, Node[]>
  /** At most one of them applies to the same place, unless all are counted. */
  elsewhere: Map<Rest, Node[]>
  /** Recursive `patternProperties`, which may all match the same name. */
  patterns: Node[]
}

const nodeOf = (own: number): Node => ({
  own,
  together: [],
  branches: [],
  named: new Map(),
  elsewhere: new Map(),
  patterns: [],
})

function under<Key>(places: Map<Key, Node[]>, place: Key, part: Node): void {
  const there = places.get(place)
  if (there) there.push(part)
  else places.set(place, [part])
}

const restOf = (place: Place): Rest => (place === '*.' || place.startsWith('.') ? '*.' : '*#')

/** The visits of a schema. `own`: the cost of one schema at one value, without its subschemas. */
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
    for (const { schema } of schemasIn(root, '')) nodes.set(schema, nodeOf(own(schema)))
    const isRecursive = recursionWithin(target)
    for (const [schema, node] of nodes) {
      for (const part of partsOf(schema)) {
        const overlaps = counting === 'one' && mayOverlap.has(part.word) && isRecursive(part.part)
        if (overlaps) placeBeside(node, nodes.get(part.part)!, part, schema)
        else this.#place(node, nodes.get(part.part)!, part)
      }
      for (const { reference } of referencesOf(schema)) {
        const found = target(reference)
        const to = found && nodes.get(found)
        if (to) node.together.push(to)
      }
    }
    this.#root = nodes.get(root)!
    this.#all = [...nodes.values()]
  }

  #place(node: Node, part: Node, { word, name }: Part): void {
    if (together.has(word)) node.together.push(part)
    else if (eitherOr.has(word)) node.branches.push(part)
    else if (conditional.has(word)) {
      if (this.counting === 'all') node.together.push(part)
    } else if (word === 'properties') under(node.named, `.${name}` as Place, part)
    else if (word === 'prefixItems' || (word === 'items' && name !== undefined)) {
      under(node.named, `#${name}` as Place, part)
    } else if (['patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'].includes(word)) {
      under(node.elsewhere, '*.', part)
    } else if (['items', 'additionalItems', 'unevaluatedItems', 'contains'].includes(word)) {
      under(node.elsewhere, '*#', part)
    }
  }

  /** Whether each schema visits a value at most `max` times; false for endless recursion. */
  within(max: number): boolean {
    const counts = this.#atOnce()
    return this.#all.every((node) => counts(node) <= max)
  }

  /**
   * The visits to one value, by its level below the schema's own value. The list ends early if it continues like its last
   * item, or once that exceeds `max`. Requires that `within` was true for some number.
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

  /** The counts of the next level from those of one level. */
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

  #ownPlaces({ named, elsewhere, patterns }: Node, counts: Map<Node, number>): Map<Place, number> {
    const sum = (nodes: Node[] = []) => nodes.reduce((total, node) => total + counts.get(node)!, 0)
    const most = (nodes: Node[] = []) => Math.max(0, ...nodes.map((node) => counts.get(node)!))
    const places = new Map<Place, number>()
    for (const [place, nodes] of elsewhere) places.set(place, this.counting === 'all' ? sum(nodes) : most(nodes))
    if (patterns.length > 0) places.set('*.', Math.max(sum(patterns), places.get('*.') ?? 0))
    for (const [place, nodes] of named) {
      places.set(place, sum(nodes) + (this.counting === 'all' ? (places.get(restOf(place)) ?? 0) : 0))
    }
    return places
  }
}

/** Places a recursive part beside the others of its schema that may apply to the same name or item. */
function placeBeside(node: Node, part: Node, { word, name = '' }: Part, { properties }: JsonSchema): void {
  if (conditional.has(word)) node.together.push(part)
  else if (word === 'contains') node.together.push({ ...nodeOf(0), elsewhere: new Map([['*#', [part]]]) })
  else {
    node.patterns.push(part)
    const pattern = new LinearPattern(name)
    for (const property of Object.keys(isObject(properties) ? properties : {})) {
      if (pattern.test(property)) under(node.named, `.${property}`, part)
    }
  }
}

/** Tells of each schema whether it leads back to itself, or to one that does. */
function recursionWithin(target: (reference: string) => JsonSchema | undefined): (schema: JsonSchema) => boolean {
  const known = new Map<JsonSchema, boolean>()
  const isRecursive = (schema: JsonSchema): boolean => {
    const found = known.get(schema)
    if (found !== undefined) return found
    // met again below: recursive
    known.set(schema, true)
    const next = [
      ...[...partsOf(schema)].map(({ part }) => part),
      ...referencesOf(schema).map(({ reference }) => target(reference)),
    ]
    const recurs = next.some((each) => each !== undefined && isRecursive(each))
    known.set(schema, recurs)
    return recurs
  }
  return isRecursive
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
