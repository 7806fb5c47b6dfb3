/**
 * Reading a source that may not have its shape: rules look at what is there, so that all problems are told at once. They
 * look at no more than a shape may have, so that a body that has a hundred thousand of something costs no more.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'

export type Loose = Record<string, unknown>

export const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** No schema of a source allows more items; exceeding it is the schema's error. */
const itemsMax = 100
/** A few more than a shape has, as they refer to each other. */
const entriesMax = 200

/** The first hundred items of a list; none where there is no list. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, itemsMax) : [])

/** The entries of an object; none where there is no object. */
export const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

/** The first two hundred of them. */
export function firstEntriesOf(value: unknown): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const key in isObject(value) ? value : {}) {
    if (entries.length === entriesMax) break
    entries.push([key, (value as Loose)[key]])
  }
  return entries
}

/** A key, as part of an issue's path. */
export const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

export interface Named {
  path: string
  name: unknown
}

/** One field of each item of a list. */
export const fieldOfEach = (items: unknown, field: string, path: string): Named[] =>
  listOf(items).map((item, index) => ({
    path: `${path}/${index}/${field}`,
    name: isObject(item) ? item[field] : undefined,
  }))

/** The later ones of equal names. */
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
