/** The interface between the runtime and a kind of actor. */
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { Cause } from '../../machines/words.ts'
import type { Query, Store, Write } from '../../storage/store.ts'
import type { Caller } from '../platform/http/guard/caller.ts'
import type { Permission } from '../platform/http/guard/permissions.ts'

/** The address of an actor: (kind, id). */
export interface Address {
  kind: string
  id: string
}

/** The sender of an event, as stored in the journal. */
export interface By {
  type: 'user' | 'apiKey' | 'system' | 'runner' | 'agentJob' | 'workflow'
  id: string
}

export const system: By = { type: 'system', id: 'troupe' }

/** An actor's snapshot in its row. */
export interface Snapshot {
  state: string
  /** Incremented by every stored change, for compare-and-swap. */
  version: number
  machineVersion: string
  /** JSON. */
  context: string
}

/** An actor as last committed. */
export interface Actor<Row = unknown, Context = AnyContext> {
  address: Address
  state: string
  version: number
  context: Context
  /** The last sequence number of the journal. */
  sequence: number
  /** The time of its last change in epoch milliseconds; later history is never earlier, whatever the clock. */
  at: number
  /** When it entered its state, in epoch milliseconds. */
  since: number
  row: Row
}

/** An actor's own statechart, for kinds in which they differ. */
export interface OwnChart {
  /** Identifies equal statecharts, which are compiled once. */
  key: string
  /** The title for people. */
  title: string
  machine(): AnyStateMachine
}

/** The context of an actor of any kind. */
export type AnyContext = Record<string, unknown>

/** One accepted event. */
export interface Move<Event extends AnyEventObject = AnyEventObject, Context = unknown> {
  event: Event & { at: number }
  by: By
  from: string | null
  to: string
  /** The sequence number in the journal if the state changed, else null. */
  sequence: number | null
  attempt: number
  reason: Cause | null
  context: Context
  /** A statechart from the sender, which the actor uses from now on. */
  chart?: OwnChart
  /** Set by `apply`: the row after this move, which later moves of the unit of work may change further. */
  row?: unknown
  /** Set by `apply`: the number of this move in the resource's event stream. */
  streamSequence?: number
}

/** The timer in an actor's row; `dueAt` is in epoch milliseconds. */
interface RowTimer {
  name: string
  dueAt: number
}

/** The change of one unit of work: one event, or several that waited for the actor. */
export interface Change<Row = unknown, Context = AnyContext, Event extends AnyEventObject = AnyEventObject> {
  address: Address
  before: Actor<Row, Context> | null
  state: string
  context: Context
  /** The version after the change; unchanged if neither state nor context changed. */
  version: number
  moves: Move<Event, Context>[]
  at: number
  /** The row data given to `create`. */
  seed: unknown
  /** For a kind with `setTimer`: the timer to store with the row; null: none, undefined: unchanged. */
  timer: RowTimer | null | undefined
}

/** The result of `apply`: the new row, the statements that store it, and the news for subscribers. */
export interface Applied<Row = unknown> {
  row: Row
  writes: Write[]
  news?: unknown
}

/** The actor that requests a hint. */
export interface HintScope {
  address: Address
}

/** The scope of a durable effect. The id is the same on every repetition. */
export interface EffectScope extends HintScope {
  effectId: string
}

/**
 * The type of an effect.
 * - `inCommit`: part of `apply`, so that it is done with the unit of work.
 * - `hint`: a wake-up. The stored state itself shows the work (a queued run is work while it is queued), and its
 * executor reads the store at start; a lost hint costs time, never work.
 * - `durable`: a row until it is done, repeated after a crash; must be idempotent. One that waits for something is the
 * same row meanwhile, and looks `again` after a while.
 */
export type Effect =
  | 'inCommit'
  | { hint(params: never, scope: HintScope): void }
  | { durable(params: never, scope: EffectScope): Promise<Again | undefined> | Promise<void> }

/** A durable effect is not done yet: it is repeated after this time. */
export interface Again {
  againMs: number
}

/** The columns that place a resource. */
export interface StoredPlace {
  project_id: string | null
  environment_id: string | null
  /** Omitted if it belongs to no Agent; a key of an Agent may then see it. */
  agent_id?: string | null
}

/** What clients can see of an actor, and which clients. Source: contract 9, "Statecharts". */
export type ActorView<Row = unknown, Context = AnyContext> = {
  /** The permission to read the resource. */
  permission: Permission
  /** Permissions that pass the guard as well, if `isVisible` checks them. */
  orPermissions?: readonly Permission[]
  /** Facts about the caller and the request that the area adds to events of clients; omitted: none. */
  facts?(caller: Caller, actor: Actor<Row, Context>, event: AnyEventObject): Promise<object>
  /** The public part of its context: an allowlist, with times in RFC 3339. */
  show(context: Context): Record<string, unknown>
} & (
  | {
      /** Its place: callers with the permission there can see it. */
      place(store: Store, key: { id: string; organizationId: string }): Query<StoredPlace>
    }
  | {
      /** Whether the caller can see it: false for both missing and foreign ones. */
      isVisible(store: Store, caller: Caller, id: string): Promise<boolean>
    }
)

export interface ActorKind<Row = unknown, Context = AnyContext, Event extends AnyEventObject = AnyEventObject> {
  kind: string
  /** The machine of all actors; an example if each has its own. */
  machine: AnyStateMachine
  /** The actor's own statechart, if each has its own; its creator provides it. */
  chartOf?(row: Row): OwnChart
  /** Its earlier statecharts, oldest first, each with its last journal number. */
  pastCharts?(store: Store, id: string): Promise<{ until: number; chart: OwnChart }[]>
  /** Migrations from each stored snapshot version to the next, applied in turn up to the machine's version. */
  migrations?: Record<
    string,
    (snapshot: { state: string; context: unknown }) => { version: string; state: string; context: unknown }
  >
  load(store: Store, id: string): Promise<Row | undefined>
  snapshot(row: Row): Snapshot
  /**
   * The row as read again, with what this process knows beyond it of the same version. Only for kinds whose ids are
   * never used again.
   */
  renew?(known: Row, read: Row): Row
  /** Whether the actor may stay in memory; omitted: always. Large actors are read again each time. */
  isKept?(row: Row): boolean
  /** Whether old moves leave the journal (`JournalRetention`), which then begins in the middle. */
  forgetsMoves?: boolean
  /** Whether servers cache the actor and decide by the cached copy; every change is then announced to all of them. */
  isRemembered?: boolean
  /** The part of the news that other servers get, as JSON; omitted: they read the store. */
  tell?(news: unknown): unknown
  /** Measurements of this process that are added to every event. */
  measure?(id: string): Record<string, unknown> | undefined
  /** The journal's attempt and reason of a move. */
  describe?(context: Context, event: Event): { attempt: number; reason: Cause | null }
  /** Converts a change to statements. The row's own statement compares and swaps its version. */
  apply(change: Change<Row, Context, Event>, store: Store): Applied<Row> | Promise<Applied<Row>>
  /**
   * For a kind whose row holds its only timer: stores the timer alone, where a turn changes nothing else of the row.
   * Omitted: timers have rows of their own.
   */
  setTimer?(store: Store, given: { id: string; timer: RowTimer | null }): Write
  effects: Record<string, Effect>
  /** Omitted: not visible to clients. */
  view?: ActorView<Row, Context>
}

// The runtime handles all kinds alike, without knowing their rows, contexts and events.
// biome-ignore lint/suspicious/noExplicitAny: the variance of callbacks leaves no narrower common type
export type AnyKind = ActorKind<any, any, any>
