/** Presents entries of the journal. Source: contract 5, `Transition`. */
import { type Static, Type } from '@sinclair/typebox'
import type { Cause } from '../../machines/words.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import { nullable, oneOf, Timestamp } from '../platform/http/schema.ts'
import { timestamp } from '../platform/http/timestamp.ts'
import type { By, Move } from './kind.ts'

export const Transition = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: '1, 2, 3 … without gaps.' }),
    from: nullable(Type.String({ description: 'The state before; null at creation.' })),
    to: Type.String({ description: 'The state after; equal to `from` if unchanged.' }),
    event: Type.String({ description: 'The event that caused the transition.' }),
    actor: Type.Object({
      type: oneOf(['user', 'apiKey', 'system', 'runner', 'agentJob', 'workflow']),
      id: Type.String(),
    }),
    attempt: Type.Integer(),
    reason: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    at: Timestamp(),
  },
  { $id: 'Transition', description: 'One entry of the journal of an actor.' },
)
export type Transition = Static<typeof Transition>

/** A pending deadline. */
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

/** A new move, as the journal will show it. */
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
