/**
 * Compares two JSON values and lists their differences by path. Members of a list stand under their name where they have one, so that one
 * that is put in between does not change all that follow. Source: contract 3, "tells what differs, by name".
 */

import { pointer } from '../../../platform/json.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { Difference } from './schema.ts'

/** The number of differences that may still be reported. */
export interface Room {
  left: number
  /** Whether there were more. */
  truncated: boolean
}

/** The limit for one Agent, Definition, Connection or setting. */
const eachMax = 100
/** The limit of a value in characters of JSON; longer ones are shortened. */
const shownMax = 500
/** The context before the first differing character. */
const leadMax = 40
/** So many values are looked at before others have their turn. */
const stretch = 500

const names = ['name', 'bindingKey', 'id'] as const

/** Compares in slices, because values may be as large as a request. Subtracts reported differences from the remaining number. */
export async function differencesOf(before: unknown, after: unknown, room: Room): Promise<Difference[]> {
  const own: Room = { left: Math.min(room.left, eachMax), truncated: false }
  const found: Difference[] = []
  for (const _ of walk({ path: '', before, after, looked: { count: 0 }, found, room: own })) await nextTurn()
  room.left -= found.length
  room.truncated ||= own.truncated
  return found
}

interface Walk {
  path: string
  /** undefined: it is not there. */
  before: unknown
  after: unknown
  looked: { count: number }
  found: Difference[]
  room: Room
}

/** Stops after each stretch. */
function* walk(at: Walk): Generator<void> {
  const { path, before, after, looked, found, room } = at
  if (room.truncated) return
  looked.count += 1
  if (looked.count % stretch === 0) yield
  const [one, other] = [membersOf(before, after), membersOf(after, before)]
  if (one && other) {
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      yield* walk({ ...at, path: `${path}${pointer(key)}`, before: one.get(key), after: other.get(key) })
    }
    return
  }
  if (before === after) return
  if (room.left === 0) {
    room.truncated = true
    return
  }
  room.left -= 1
  found.push({ path, ...shown(before, after) })
  // what is written out may be long
  yield
}

/** The members by key; undefined for a scalar, or if the other value is of another kind. */
function membersOf(value: unknown, other: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    if (!Array.isArray(other)) return undefined
    const name = names.find((name) => areNamed(value, name) && areNamed(other, name))
    return new Map(
      value.map((member, index) => [name ? (member as Record<string, string>)[name]! : `${index}`, member]),
    )
  }
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null) return undefined
  return Array.isArray(other) ? undefined : new Map(Object.entries(value))
}

/** Whether each member has a text of its own under the name. */
function areNamed(members: unknown[], name: string): boolean {
  const all = new Set(members.map((member) => (member as Record<string, unknown> | null)?.[name]))
  return all.size === members.length && [...all].every((each) => typeof each === 'string')
}

function shown(before: unknown, after: unknown): Omit<Difference, 'path'> {
  const from = typeof before === 'string' && typeof after === 'string' ? firstDifference(before, after) : 0
  const [one, other] = [shortened(before, from), shortened(after, from)]
  return {
    ...(before !== undefined && { before: one.value }),
    ...(after !== undefined && { after: other.value }),
    shortened: one.isShort || other.isShort,
  }
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** The value itself, or as much of its text as is shown, from a little before this place. */
function shortened(value: unknown, from: number): { value: unknown; isShort: boolean } {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.length <= shownMax) return { value, isShort: false }
  const start = Math.max(0, Math.min(from - leadMax, text.length - shownMax))
  const part = text.slice(start, start + shownMax).toWellFormed()
  const end = start + shownMax < text.length ? '…' : ''
  return { value: `${start > 0 ? '…' : ''}${part}${end}`, isShort: true }
}
