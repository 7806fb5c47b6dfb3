/** What the runtime has to be told about a kind of actor, and what it tells back. */
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { Cause } from '../../machines/words.ts'
import type { Query, Store, Write } from '../../storage/store.ts'
import type { Caller } from '../platform/http/guard/caller.ts'
import type { Permission } from '../platform/http/guard/permissions.ts'

/** Where an actor lives: one (kind, id). */
export interface Address {
  kind: string
  id: string
}

/** Who sent an event, as the journal shows it. */
export interface By {
  type: 'user' | 'apiKey' | 'system' | 'runner' | 'agentJob' | 'workflow'
  id: string
}

export const system: By = { type: 'system', id: 'troupe' }

/** An actor's snapshot, as its row holds it. */
export interface Snapshot {
  state: string
  /** Grows with every stored change: compare-and-swap. */
  version: number
  machineVersion: string
  /** JSON. */
  context: string
}

/** An actor as it was last committed. */
export interface Actor<Row = unknown, Context = Record<string, unknown>> {
  address: Address
  state: string
  version: number
  context: Context
  /** The last number of the journal. */
  sequence: number
  /** The moment of its last change, in epoch milliseconds: its history goes on from there, whatever the clock says. */
  at: number
  /** Since when it has been in its state. */
  since: number
  row: Row
}

/** The statechart of one actor, where those of a kind differ. */
export interface OwnChart {
  /** The same for the same statechart: it is compiled once. */
  key: string
  /** For people. */
  title: string
  machine(): AnyStateMachine
}

/** One accepted event. */
export interface Move<Event extends AnyEventObject = AnyEventObject> {
  event: Event & { at: number }
  by: By
  from: string | null
  to: string
  /** The number in the journal when the state changed, else null. */
  sequence: number | null
  attempt: number
  reason: Cause | null
  context: Record<string, unknown>
  /** The statechart that its sender has brought, and that the actor is run by from here on. */
  chart?: OwnChart
  /** Set by `apply`: the row as this move left it, where others of the same unit of work may change it further. */
  row?: unknown
  /** Set by `apply`: the number of this move in the resource's own stream of events. */
  streamSequence?: number
}

/** What one unit of work changes: one event, or several that waited for the same actor. */
export interface Change<
  Row = unknown,
  Context = Record<string, unknown>,
  Event extends AnyEventObject = AnyEventObject,
> {
  address: Address
  before: Actor<Row, Context> | null
  state: string
  context: Context
  /** The version after the change; the same as before when neither state nor context changed. */
  version: number
  moves: Move<Event>[]
  at: number
  /** What `create` was given for the row. */
  seed: unknown
}

/** What a kind makes of a change: its new row, the statements that store it, and the news for subscribers. */
export interface Applied<Row = unknown> {
  row: Row
  writes: Write[]
  news?: unknown
}

/** What an effect can see besides its parameters. The id is the same on every repetition. */
export interface EffectScope {
  address: Address
  effectId: string
}

/**
 * How an effect of the statechart is carried out.
 * - `inCommit`: it is part of `apply`, so it is done when the unit of work is.
 * - `hint`: a wake-up. The stored state itself asks for the work (a queued run is work for as long as it is queued), and
 *   whoever does it looks at the store at start; a lost hint costs time, never work.
 * - `durable`: a row until it is done, repeated after a crash; safe to repeat.
 */
export type Effect =
  | 'inCommit'
  | { hint(params: never, scope: EffectScope): void }
  | { durable(params: never, scope: EffectScope): Promise<void> }

/** The columns that say where a resource lives. */
export interface StoredPlace {
  project_id: string | null
  environment_id: string | null
  /** Left out where it belongs to no Agent: the key of one may look at what is around it. */
  agent_id?: string | null
}

/** What an actor shows to clients, and to which of them. Source: contract 9, "Statecharts". */
export type ActorView<Row = unknown, Context = Record<string, unknown>> = {
  /** The permission that reads the resource. */
  permission: Permission
  /** Others that pass the guard as well, where `isVisible` knows which of them it takes. */
  orPermissions?: readonly Permission[]
  /** What its area would tell the statechart of the caller along with such an event; left out: nothing. */
  facts?(caller: Caller, actor: Actor<Row, Context>, event: string): Promise<object>
  /** The part of its context that may be shown: an allowlist, instants as RFC 3339. */
  show(context: Context): Record<string, unknown>
} & (
  | {
      /** Where it lives: whoever has the permission there sees it. */
      place(store: Store, key: { id: string; organizationId: string }): Query<StoredPlace>
    }
  | {
      /** Whether the caller sees it: false for a missing and for a foreign one. */
      isVisible(store: Store, caller: Caller, id: string): Promise<boolean>
    }
)

export interface ActorKind<
  Row = unknown,
  Context = Record<string, unknown>,
  Event extends AnyEventObject = AnyEventObject,
> {
  kind: string
  /** Of all actors of the kind; only an example where each has its own. */
  machine: AnyStateMachine
  /** The statechart of one actor, where each has its own: then whoever creates one brings it. */
  chartOf?(row: Row): OwnChart
  /** Those that it had before, oldest first: each made the journal up to `until`. */
  pastCharts?(store: Store, id: string): Promise<{ until: number; chart: OwnChart }[]>
  /** From the version of a stored snapshot to the next one; applied in turn until the machine's version is reached. */
  migrations?: Record<
    string,
    (snapshot: { state: string; context: unknown }) => { version: string; state: string; context: unknown }
  >
  load(store: Store, id: string): Promise<Row | undefined>
  snapshot(row: Row): Snapshot
  /** Whether the actor may stay in memory; left out, every one may. What takes much is read anew each time. */
  isKept?(row: Row): boolean
  /** What this process knows of the actor that its statechart cannot: it goes along with every event. */
  measure?(id: string): Record<string, unknown> | undefined
  /** What the journal says of a move besides event and states. */
  describe?(context: Context, event: Event): { attempt: number; reason: Cause | null }
  /** Turns a change into statements. The row's own statement compares and swaps its version. */
  apply(change: Change<Row, Context, Event>, store: Store): Applied<Row> | Promise<Applied<Row>>
  effects: Record<string, Effect>
  /** Left out: nobody can watch it. */
  view?: ActorView<Row, Context>
}

// Kinds differ in their rows, contexts and events; the runtime treats them alike and looks into none of them.
// biome-ignore lint/suspicious/noExplicitAny: the variance of callbacks leaves no narrower common type
export type AnyKind = ActorKind<any, any, any>
