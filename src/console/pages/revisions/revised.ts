/** Common parts of Agents and Definitions: a name and immutable numbered revisions. */
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { Action } from '../../data/action.ts'
import type { Key } from '../../data/queries.ts'
import type { IconName } from '../../ui/icon.tsx'

/** Segment in addresses, query keys and API paths. */
export type RevisedKind = 'agents' | 'definitions'

/** An Agent or a Definition. */
export interface Revised {
  id: string
  projectId: string
  name: string
  description: string | null
  status: 'active' | 'deleting'
  /** Null before the first revision. */
  latestRevisionId: string | null
  createdAt: string
  updatedAt: string
}

export interface Revision {
  id: string
  /** From 1. */
  number: number
  createdAt: string
  createdBy: { type: string; id: string }
}

interface RevisedWords {
  /** As in `New agent`. */
  one: string
  /** As in `Agents`. */
  many: string
  icon: IconName
  /** The permissions that changes need. */
  needs: Record<'create' | 'publish' | 'change' | 'remove', Permission>
}

export const wordsOf: Record<RevisedKind, RevisedWords> = {
  agents: {
    one: 'agent',
    many: 'Agents',
    icon: 'agent',
    needs: {
      create: 'agents:push',
      publish: 'agents:revisions:create',
      change: 'agents:push',
      remove: 'agents:delete',
    },
  },
  definitions: {
    one: 'definition',
    many: 'Definitions',
    icon: 'book',
    needs: {
      create: 'definitions:create',
      publish: 'definitions:update',
      change: 'definitions:update',
      remove: 'definitions:delete',
    },
  },
}

/** Query keys to refetch after a change: the resources, and lists derived from them. */
export const changesOf = (kind: RevisedKind, projectId: string): Key[] => [
  [kind, projectId],
  ['parts', projectId],
]

/** An update of one of them, with any result. */
export type Doing<Given extends unknown[]> = Action<Given, unknown>

/** The editor of the next revision, on the page of an Agent or a Definition. */
export const publishAt = (address: string): string => `${address}?view=publish`
