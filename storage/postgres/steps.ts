/**
 * Plans the statements of a transaction. Each unit's statements keep their order; in units that may be mixed,
 * statements with the same text are merged into one for many rows, so that thirty runs admitted together take about ten
 * statements, not three hundred.
 */
import type { Write } from '../store.ts'
import { addTo, canBeAdded, placeOf, type Sums, sumsOf } from '../sums.ts'
import type { Parameters } from './connections.ts'
import { asRows, type MultiRow, type MultiRows } from './multi-row.ts'

/** A statement to send. */
export interface Step {
  sql: string
  parameters: Parameters
  /** The indexes of its units in the batch. */
  places: readonly number[]
  /** The original statement, if it belongs to one unit. */
  write?: Write
  /** The number of rows that it must touch; undefined: any. */
  rows: number | undefined
  /** The original statement, if it has `once`; its `committed` is called only if rows were touched. */
  once?: Write
}

/** The parts of a waiting unit that planning needs. */
export interface Mixable {
  unit: readonly Write[]
  /** Whether to send its statements separately, because a merged statement with it failed. */
  isAlone?: boolean
}

/** The maximum number of characters of parameters in a statement for many rows. */
const charactersMax = 1024 * 1024

/** Statements with the same text at the same position in the order. */
interface Node {
  sql: string
  /** A key that statements must share to be merged; null: not merged. */
  place: string | null
  writes: Write[]
  places: number[]
  characters: number
  /** The keys of the updated rows, which one statement may update only once. */
  keys: Set<string> | undefined
}

const charactersOf = (parameters: Parameters) =>
  parameters.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** Whether statements with this text may be merged. */
const isOfMany = ({ together, once }: Write) => together === 'rows' || together === 'sums' || once !== undefined

/** The texts whose statement for many rows is not known yet. */
export function unknownTexts(batch: readonly Mixable[], known: MultiRows): string[] {
  if (batch.length < 2) return []
  const texts = new Set<string>()
  for (const { unit } of batch)
    for (const { together, sql } of unit) if (together === 'rows' && known.find(sql) === undefined) texts.add(sql)
  return [...texts]
}

export function stepsOf(batch: readonly Mixable[], known: MultiRows): Step[] {
  const steps: Step[] = []
  let mixed: Node[] = []
  const flush = () => {
    for (const node of mixed) steps.push(...stepsOfNode(node, known))
    mixed = []
  }
  for (const [place, { unit, isAlone = false }] of batch.entries()) {
    if (!isAlone && batch.length > 1 && unit.every(({ together }) => together !== undefined)) {
      mix(mixed, unit, place, known)
      continue
    }
    flush()
    for (const write of unit) steps.push(aloneOf(write, place))
  }
  flush()
  return steps
}

/** Adds a unit's statements to the plan, in their order. */
function mix(nodes: Node[], unit: readonly Write[], place: number, known: MultiRows) {
  let at = 0
  for (const write of unit) {
    const found = isOfMany(write) ? find(nodes, at, write, known) : -1
    if (found >= 0) {
      at = found
      take(nodes[at] as Node, write, place, known)
      continue
    }
    // after its predecessor
    if (write !== unit[0]) at += 1
    const node = { sql: write.sql, place: sameOf(write), writes: [], places: [], characters: 0, keys: undefined }
    nodes.splice(at, 0, node)
    take(node, write, place, known)
  }
}

function find(nodes: readonly Node[], from: number, write: Write, known: MultiRows): number {
  const same = sameOf(write)
  if (same === null) return -1
  for (let at = from; at < nodes.length; at += 1) {
    const node = nodes[at] as Node
    if (node.sql !== write.sql || node.place !== same) continue
    const key = keyOf(write, known)
    if (key !== undefined && node.keys?.has(key)) continue
    if (node.characters + charactersOf(write.parameters) <= charactersMax) return at
  }
  return -1
}

function take(node: Node, write: Write, place: number, known: MultiRows) {
  if (write.once === undefined || node.writes.length === 0) node.writes.push(write)
  node.places.push(place)
  node.characters += charactersOf(write.parameters)
  const key = keyOf(write, known)
  if (key !== undefined) node.keys = (node.keys ?? new Set()).add(key)
}

function sameOf(write: Write): string | null {
  if (write.once !== undefined) return write.once
  if (write.together === 'rows') return ''
  if (write.together !== 'sums') return null
  const sums = sumsOf(write.sql)
  return sums && canBeAdded(sums, write.parameters) ? placeOf(sums, write.parameters) : null
}

/** The key of the updated row, which one statement may update only once; undefined: none. */
function keyOf({ together, sql, rows, parameters }: Write, known: MultiRows): string | undefined {
  const key = together === 'rows' && rows !== 0 ? known.find(sql)?.key : undefined
  return key ? JSON.stringify(key.map((at) => parameters[at])) : undefined
}

const aloneOf = (write: Write, place: number): Step => ({
  sql: write.sql,
  parameters: write.parameters,
  places: [place],
  write,
  rows: write.rows,
  ...(write.once !== undefined && { once: write }),
})

function stepsOfNode({ sql, writes, places }: Node, known: MultiRows): Step[] {
  const [first] = writes as [Write]
  // the row counts of the other units are not needed: they fail together with this one
  if (first.once !== undefined) return [{ sql, parameters: first.parameters, places, rows: first.rows, once: first }]
  if (writes.length === 1) return [aloneOf(first, places[0] as number)]
  if (first.together === 'sums') return stepsOfSums(sumsOf(sql) as Sums, writes, places)
  const multiRow: MultiRow | null | undefined = known.find(sql)
  if (!multiRow) return writes.map((write, at) => aloneOf(write, places[at] as number))
  const parameters = [asRows(writes.map((write) => write.parameters))]
  return [{ sql: multiRow.sql, parameters, places, rows: rowsOf(writes) }]
}

/** The number of rows that all of them must touch together; undefined: any. */
const rowsOf = (writes: readonly Write[]): number | undefined =>
  writes.every(({ rows }) => rows !== undefined) ? writes.reduce((sum, { rows = 0 }) => sum + rows, 0) : undefined

/**
 * A bounded sum takes two statements: the first addition may create the row, whatever the bound is; the others are
 * checked against the bound.
 */
function stepsOfSums(sums: Sums, writes: readonly Write[], places: readonly number[]): Step[] {
  const [first, ...others] = writes as [Write, ...Write[]]
  const of = ([one, ...rest]: readonly Write[], from: number): Step => {
    if (rest.length === 0) return aloneOf(one as Write, places[from] as number)
    const sum = [...(one as Write).parameters]
    for (const { parameters } of rest) addTo(sums, sum, parameters)
    return { sql: first.sql, parameters: sum, places: places.slice(from), rows: first.rows }
  }
  return sums.isBounded ? [aloneOf(first, places[0] as number), of(others, 1)] : [of(writes, 0)]
}
