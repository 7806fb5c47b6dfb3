/** Two sets of named things beside each other. */
import type { changes } from './schema.ts'

export interface Pair<Side> {
  name: string
  change: (typeof changes)[number]
  /** null: it is not there. */
  before: Side | null
  after: Side | null
}

export const compareNames = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** All of both, by name; whether those that are in both have changed is for the caller to see. */
export const paired = <Side>(before: ReadonlyMap<string, Side>, after: ReadonlyMap<string, Side>): Pair<Side>[] =>
  [...new Set([...before.keys(), ...after.keys()])].sort(compareNames).map((name) => ({
    name,
    change: !before.has(name) ? 'added' : after.has(name) ? 'changed' : 'removed',
    before: before.get(name) ?? null,
    after: after.get(name) ?? null,
  }))
