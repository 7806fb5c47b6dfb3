/** A row of the journal as clients see it. Source: contract 5, `Transition`. */
import type { Cause } from '../../machines/words.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import { timestamp } from '../platform/http/timestamp.ts'
import type { By, Move } from './kind.ts'

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

/** A move that has just been decided, as the journal will show it. */
export const presentMove = ({ sequence, from, to, event, by, attempt, reason }: Move): Transition => ({
  sequence: sequence ?? 0,
  from,
  to,
  event: event.type,
  actor: by,
  attempt,
  reason,
  at: timestamp(event.at),
})

export const presentTimer = ({ name, due_at }: { name: string; due_at: number }): PendingTimer => ({
  event: name,
  dueAt: timestamp(due_at),
})
