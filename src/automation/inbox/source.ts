/** The sources of inbox items. */
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Part } from '../../runtime/statecharts/fleet/reach.ts'
import type { InboxKind, InboxReason } from './kinds.ts'

/** An item of a source; omitted fields are null. */
export interface Found {
  kind: InboxKind
  /** Its rank among others of the same instant; also shown, unless there is another id to show. */
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

/** A position in the list, which is ordered by time and, within an instant, by id: the latest first. */
export interface Position {
  since: number
  id: string
}

/** The position before all items. */
export const latest: Position = { since: Number.MAX_SAFE_INTEGER, id: '~' }

export const latestFirst = (one: Position, other: Position): number =>
  other.since - one.since || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

/** Whether the item comes after the position in the list. */
export const isAfter = (before: Position, { since, id }: Position): boolean =>
  since < before.since || (since === before.since && id < before.id)

export interface Source {
  kind: InboxKind
  /** The permission to read the resources, if it is not that of the kind. */
  permission?: Permission
  /** The number of items in these parts; counts stop at `max`. */
  count(parts: readonly Part[], max: number): Promise<number>
  /** The next items after a position. */
  read(parts: readonly Part[], before: Position, limit: number): Promise<Found[]>
}
