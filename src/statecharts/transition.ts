/** A row of the journal as clients see it. Source: contract 5, `Transition`. */
import type { Cause } from '../../machines/words.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import type { By } from '../runtime/kind.ts'

export interface Transition {
  /** 1, 2, 3 … for each actor, no gaps. */
  sequence: number
  /** null: the actor was created. */
  from: string | null
  to: string
  event: string
  actor: By
  attempt: number
  reason: Cause | null
  /** RFC 3339. */
  at: string
}

/** A deadline that runs. */
export interface PendingTimer {
  event: string
  /** RFC 3339. */
  dueAt: string
}

/** An instant as RFC 3339 in UTC with milliseconds. */
export const timestamp = (at: number): string => new Date(at).toISOString()

export const presentTransition = (row: TransitionRow): Transition => ({
  sequence: row.sequence,
  from: row.from_state,
  to: row.to_state,
  event: row.event,
  actor: { type: row.by_type as By['type'], id: row.by_id },
  attempt: row.attempt,
  reason: row.reason === null ? null : (JSON.parse(row.reason) as Cause),
  at: timestamp(row.at),
})

export const presentTimer = ({ name, due_at }: { name: string; due_at: number }): PendingTimer => ({
  event: name,
  dueAt: timestamp(due_at),
})
