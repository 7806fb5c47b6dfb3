/** A command on its way through a mailbox, and what its sender gets back. */
import type { AnyEventObject } from 'xstate'
import type { Write } from '../../storage/store.ts'
import type { DecisionTable } from './decisions/table.ts'
import type { Actor, Address, AnyKind, By, Move, OwnChart } from './kind.ts'

export interface Outcome<Row = unknown> {
  /** The actor as committed. */
  actor: Actor<Row>
  /** What this command did; `to` equals `from` when the state stayed. */
  move: Move
}

export interface SendOptions<Row = unknown> {
  by?: By
  /** The event to try when the state has no row for the first one. */
  orElse?: AnyEventObject
  /** Of a kind whose actors have their own: the statechart to decide by. If the event is accepted, the actor keeps it. */
  chart?: OwnChart
  /** Nobody waits for it: it is committed in the pace of background work. */
  background?: boolean
  /** Statements to commit in the same unit of work, for instance the record of an idempotent answer. */
  writes?: ((outcome: Outcome<Row>) => Write[]) | undefined
}

/** A kind with its statechart compiled. */
export interface Registered {
  definition: AnyKind
  /** Of all its actors; of an example where each has its own. */
  table: DecisionTable
  /** Of the actor with this row. */
  tableOf(row: unknown): DecisionTable
  /** Of a statechart that an actor has or is to have. */
  tableOfChart(chart: OwnChart): DecisionTable
}

/** What an actor is made of: what its statechart starts with, and what its row holds besides the snapshot. */
export interface Creation {
  input: unknown
  seed: unknown
  /** What the journal calls the creation: one of the creation events that the statechart has. */
  named: string
  /** What the creation's guard decides by. */
  facts?: object
}

export interface Command {
  address: Address
  kind: Registered
  /** undefined: the actor is created. */
  event: AnyEventObject | undefined
  creation: Creation | undefined
  /** The event is a deadline of the chart; it counts only while its timer is due. */
  deadline: boolean
  options: SendOptions
  resolve: (outcome: Outcome | undefined) => void
  reject: (reason: unknown) => void
}
