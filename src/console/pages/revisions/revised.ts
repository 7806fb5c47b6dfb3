/** What Agents and Definitions have in common: a name, and numbered revisions that never change. */
import type { Action } from '../../data/action.ts'
import type { Key } from '../../data/queries.ts'
import type { IconName } from '../../ui/icon.tsx'

/** The word in addresses, keys and paths of the API. */
export type RevisedKind = 'agents' | 'definitions'

/** An Agent or a Definition. */
export interface Revised {
  id: string
  projectId: string
  name: string
  description: string | null
  status: 'active' | 'deleting'
  /** Null before the first. */
  latestRevisionId: string | null
  createdAt: string
  updatedAt: string
}

export interface Revision {
  id: string
  /** 1, 2, 3 … */
  number: number
  createdAt: string
  createdBy: { type: string; id: string }
}

export interface RevisedWords {
  /** In the middle of a sentence: `New agent`. */
  one: string
  /** As a title: `Agents`. */
  many: string
  icon: IconName
}

export const wordsOf: Record<RevisedKind, RevisedWords> = {
  agents: { one: 'agent', many: 'Agents', icon: 'agent' },
  definitions: { one: 'definition', many: 'Definitions', icon: 'book' },
}

/** What is read again when one of them has changed: they themselves, and what Releases are made of. */
export const changesOf = (kind: RevisedKind, projectId: string): Key[] => [
  [kind, projectId],
  ['parts', projectId],
]

/** Something that is done to one of them, whatever it answers. */
export type Doing<Given extends unknown[]> = Action<Given, unknown>
