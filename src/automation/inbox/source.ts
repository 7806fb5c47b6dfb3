/** Where the inbox finds its items. */
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Part } from '../../runtime/statecharts/fleet/reach.ts'
import type { InboxKind, InboxReason } from './kinds.ts'

/** An item as it is found; what is left out is null. */
export interface Found {
  kind: InboxKind
  /** Its place among others of one moment; shown too, unless there is another id to show. */
  id: string
  shownId?: string
  reason: InboxReason
  title: string
  message: string
  /** Epoch milliseconds. */
  since: number
  dueAt?: number | null
  environmentId?: string | null
  agentId?: string | null
  invocationId?: string | null
  agentRunId?: string | null
  workflowRunId?: string | null
  releaseId?: string | null
  configurationRevisionId?: string | null
  deadLetters?: number | null
  percent?: number | null
}

/** A place in the list, which is in the order of time and, within a moment, of the ids: the latest first. */
export interface Position {
  since: number
  id: string
}

/** Before all others. */
export const latest: Position = { since: Number.MAX_SAFE_INTEGER, id: '~' }

export const latestFirst = (one: Position, other: Position): number =>
  other.since - one.since || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

/** Whether it comes after the position in the list. */
export const isAfter = (before: Position, { since, id }: Position): boolean =>
  since < before.since || (since === before.since && id < before.id)

export interface Source {
  kind: InboxKind
  /** What reads the things, where it is not the permission of the kind. */
  permission?: Permission
  /** How many there are in these parts; no more than `max` are counted. */
  count(parts: readonly Part[], max: number): Promise<number>
  /** The next ones after a position. */
  read(parts: readonly Part[], before: Position, limit: number): Promise<Found[]>
}
