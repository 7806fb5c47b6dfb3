/** A command in a mailbox, and its outcome. */
import type { AnyEventObject } from 'xstate'
import type { Write } from '../../storage/store.ts'
import type { DecisionTable } from './decisions/table.ts'
import type { Actor, Address, AnyContext, AnyKind, By, Move, OwnChart } from './kind.ts'

export interface Outcome<Row = unknown, Context = AnyContext> {
  /** The committed actor. */
  actor: Actor<Row, Context>
  /** The transition; `to` equals `from` if the state is unchanged. */
  move: Move<AnyEventObject, Context>
}

/** An event of another actor. */
export interface Joined {
  address: Address
  event: AnyEventObject
}

export interface SendOptions<Row = unknown, Context = AnyContext> {
  by?: By
  /** The event to try if the state has no row for the first one. */
  orElse?: AnyEventObject
  /**
   * For a kind whose actors have their own statecharts: the one to decide by. The actor keeps it if the event is
   * accepted.
   */
  chart?: OwnChart
  /** No sender waits: committed at the pace of background work. */
  background?: boolean
  /**
   * Waits up to 20 ms for the actor's next command, to be committed with it. Only for commands that a crash may lose as
   * if they had never been sent. The journal records the time when it was sent.
   */
  patient?: boolean
  /**
   * An event for another actor in the same unit of work, if that actor accepts it. To exclude deadlocks, no actor of
   * the other kind may join one of this kind. Only one of the commands that an actor processes together may join
   * another actor.
   */
  joined?: Joined
  /** Statements for the same unit of work, for instance an idempotency record. */
  writes?: ((outcome: Outcome<Row, Context>) => Write[]) | undefined
}

/** A kind with its compiled statechart. */
export interface Registered {
  definition: AnyKind
  /** The table of all actors; an example if each has its own. */
  table: DecisionTable
  /** The table of the actor with this row. */
  tableOf(row: unknown): DecisionTable
  /** The table of an actor's own statechart. */
  tableOfChart(chart: OwnChart): DecisionTable
}

/** The input of the statechart, and the initial row besides the snapshot. */
export interface Creation {
  input: unknown
  seed: unknown
  /** The creation event, as named in the statechart and the journal. */
  named: string
  /** Facts for the guard of the creation. */
  facts?: object
}

export interface Command {
  address: Address
  kind: Registered
  /** undefined: creates the actor. */
  event: AnyEventObject | undefined
  creation: Creation | undefined
  /** The event is a deadline, which counts only while its timer is due. */
  deadline: boolean
  options: SendOptions
  /** When a patient command was sent; epoch milliseconds. */
  sentAt?: number
  resolve: (outcome: Outcome | undefined) => void
  reject: (reason: unknown) => void
}
