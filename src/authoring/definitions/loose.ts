/**
 * Reads a source that may violate its schema: rules check whatever is present, so that all problems are reported at
 * once. Except for `entriesOf`, they read little more than a schema allows, so a body with a hundred thousand items
 * costs no more.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject } from '../../platform/json.ts'

export type Loose = Record<string, unknown>

/** No schema of a source allows more items; the schema itself reports an excess. */
const itemsMax = 100
/** More than a schema allows, because entries refer to each other. */
const entriesMax = 200

/** The first `itemsMax` items of a list; none if it is not a list. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, itemsMax) : [])

/** All entries of an object; none if it is not an object. */
export const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

/** The first `entriesMax` entries of an object; none if it is not an object. */
export function firstEntriesOf(value: unknown): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const key in isObject(value) ? value : {}) {
    if (entries.length === entriesMax) break
    entries.push([key, (value as Loose)[key]])
  }
  return entries
}

interface Named {
  path: string
  name: unknown
}

/** One field of each item of a list. */
export const fieldOfEach = (items: readonly unknown[], field: string, path: string): Named[] =>
  items.map((item, index) => ({
    path: `${path}/${index}/${field}`,
    name: isObject(item) ? item[field] : undefined,
  }))

/** An issue for each name that repeats an earlier one. */
export function repeated(all: readonly Named[]): Issue[] {
  const first = new Map<string, string>()
  return all.flatMap(({ path, name }) => {
    if (typeof name !== 'string') return []
    const before = first.get(name)
    if (before !== undefined) return [{ path, message: `Is the same as ${before}.` }]
    first.set(name, path)
    return []
  })
}
