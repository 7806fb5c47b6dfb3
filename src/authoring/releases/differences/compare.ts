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
  looked.count += 1
  if (looked.count % stretch === 0) yield
  const members = membersOf(before, after)
  if (members) {
    for (const [key, one, other] of members) {
      yield* walk({ ...at, path: `${path}${pointer(key)}`, before: one, after: other })
      if (room.truncated) return
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

/** A key with what is under it on each side; undefined: it is not there. */
type Member = [key: string, before: unknown, after: unknown]

/** The members of both by key; undefined unless both are lists or both are objects. */
function membersOf(before: unknown, after: unknown): Iterable<Member> | undefined {
  if (Array.isArray(before) || Array.isArray(after)) {
    if (!Array.isArray(before) || !Array.isArray(after)) return undefined
    const name = names.find((each) => areNamed(before, each) && areNamed(after, each))
    return name ? namedMembers(byName(before, name), byName(after, name)) : membersOfLists(before, after)
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return undefined
  return membersOfObjects(before, after)
}

function* membersOfLists(before: unknown[], after: unknown[]): Generator<Member> {
  const length = Math.max(before.length, after.length)
  for (let index = 0; index < length; index += 1) yield [`${index}`, before[index], after[index]]
}

function* membersOfObjects(before: object, after: object): Generator<Member> {
  const under = (one: object, key: string) => (Object.hasOwn(one, key) ? one[key as keyof typeof one] : undefined)
  for (const key of Object.keys(before)) yield [key, under(before, key), under(after, key)]
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) yield [key, undefined, under(after, key)]
}

const byName = (members: unknown[], name: string) =>
  new Map(members.map((member) => [(member as Record<string, string>)[name]!, member]))

function* namedMembers(before: Map<string, unknown>, after: Map<string, unknown>): Generator<Member> {
  for (const [key, member] of before) yield [key, member, after.get(key)]
  for (const [key, member] of after) if (!before.has(key)) yield [key, undefined, member]
}

/** Whether each member has a text of its own under the name. */
function areNamed(members: unknown[], name: string): boolean {
  const all = new Set<string>()
  for (const member of members) {
    const each = (member as Record<string, unknown> | null)?.[name]
    if (typeof each !== 'string' || all.has(each)) return false
    all.add(each)
  }
  return true
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
