/**
 * What a transaction sends for its units of work: the statements of each in their order, and of units that may be mixed one
 * for many of the same text. Thirty runs that are admitted together are then some ten statements instead of three hundred.
 */
import type { Write } from '../store.ts'
import { addTo, canBeAdded, placeOf, type Sums, sumsOf } from '../sums.ts'
import type { Parameters } from './connections.ts'
import { asRows, type MultiRow, type MultiRows } from './multi-row.ts'

/** One statement as it is sent. */
export interface Step {
  sql: string
  parameters: Parameters
  /** The units that it is of, by their places. */
  places: readonly number[]
  /** It alone, where it is of one unit. */
  write?: Write
  /** How many rows it must touch, where it is of several. */
  rows?: number | undefined
}

/** What of a batch matters here. */
export interface Mixable {
  unit: readonly Write[]
  /** Whether its statements are to be sent as they are: one of many, with it in it, has failed. */
  isAlone?: boolean
}

/** A statement takes no more characters than this of many rows. */
const charactersMax = 1024 * 1024

/** Statements of one text, at one place in the order. */
interface Node {
  sql: string
  /** What else is the same of those that it takes; null: it takes no other. */
  place: string | null
  writes: Write[]
  places: number[]
  characters: number
  /** The rows that are changed, where no row may be changed twice. */
  keys: Set<string> | undefined
}

const charactersOf = (parameters: Parameters) =>
  parameters.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** Whether one statement may be sent for many of it. */
const isOfMany = ({ together, once }: Write) => together === 'rows' || together === 'sums' || once !== undefined

/** Texts of which there may be one for many rows, and it is not known yet. */
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
    for (const write of unit) steps.push({ sql: write.sql, parameters: write.parameters, places: [place], write })
  }
  flush()
  return steps
}

/** Puts the statements of a unit to those that are there, in its order. */
function mix(nodes: Node[], unit: readonly Write[], place: number, known: MultiRows) {
  let at = 0
  for (const write of unit) {
    const found = isOfMany(write) ? find(nodes, at, write, known) : -1
    if (found >= 0) {
      at = found
      take(nodes[at] as Node, write, place, known)
      continue
    }
    // behind the one before it
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

/** The row that it changes, which one statement changes once; undefined: none. */
function keyOf({ together, sql, rows, parameters }: Write, known: MultiRows): string | undefined {
  const key = together === 'rows' && rows !== 0 ? known.find(sql)?.key : undefined
  return key ? JSON.stringify(key.map((at) => parameters[at])) : undefined
}

function stepsOfNode({ sql, writes, places }: Node, known: MultiRows): Step[] {
  const [first] = writes as [Write]
  const alone = (write: Write, place: number): Step => ({ sql, parameters: write.parameters, places: [place], write })
  // that of others is left out: they fail with it
  if (first.once !== undefined) return [{ sql, parameters: first.parameters, places, rows: first.rows }]
  if (writes.length === 1) return [alone(first, places[0] as number)]
  if (first.together === 'sums') return stepsOfSums(sumsOf(sql) as Sums, writes, places, alone)
  const multiRow: MultiRow | null | undefined = known.find(sql)
  if (!multiRow) return writes.map((write, at) => alone(write, places[at] as number))
  const parameters = [asRows(writes.map((write) => write.parameters))]
  return [{ sql: multiRow.sql, parameters, places, rows: rowsOf(writes) }]
}

/** How many rows all must touch together; undefined: any number is right. */
const rowsOf = (writes: readonly Write[]): number | undefined =>
  writes.every(({ rows }) => rows !== undefined) ? writes.reduce((sum, { rows = 0 }) => sum + rows, 0) : undefined

/** A row that is not there yet begins with the first, whatever its bound is: the others are held against it. */
function stepsOfSums(
  sums: Sums,
  writes: readonly Write[],
  places: readonly number[],
  alone: (write: Write, place: number) => Step,
): Step[] {
  const [first, ...others] = writes as [Write, ...Write[]]
  const of = ([one, ...rest]: readonly Write[], from: number): Step => {
    if (rest.length === 0) return alone(one as Write, places[from] as number)
    const sum = [...(one as Write).parameters]
    for (const { parameters } of rest) addTo(sums, sum, parameters)
    return { sql: first.sql, parameters: sum, places: places.slice(from), rows: first.rows }
  }
  return sums.isBounded ? [alone(first, places[0] as number), of(others, 1)] : [of(writes, 0)]
}
