/** A statechart with the descriptions of its names for people. */
import type { AnyStateMachine, StateMachine } from 'xstate'

/** An event of the chart. Delayed events are deadlines and are described there. */
export interface ChartEvent {
  /** A command comes from a client; a report from a runner, provider or endpoint; a server event from Troupe itself. */
  by: 'command' | 'report' | 'server'
  /** When the event is sent; for a command, by which API operation. Markdown. */
  says: string
}

interface ChartDeadline {
  limits: string
  /** The setting that changes the deadline, if any. */
  setting?: string
  /** The delay depends on the actor's context: there is no default. */
  varies?: true
}

export interface Chart {
  /** The name of the kind: `Agent run`. */
  title: string
  /** A paragraph about the actor and its states. Lists show its first sentence. */
  about: string
  /** The same for one actor's own statechart, if each actor has its own. */
  aboutOwn?: string
  /** The machine with default limits; its id is the kind, also in URLs. */
  machine: AnyStateMachine
  /** An initial input, from which the default deadlines are computed. */
  input: unknown
  /** The description of each event, by name. */
  events: Readonly<Record<string, ChartEvent>>
  /** The description of events that users name. */
  otherEvents?: ChartEvent
  /** The description of each guard, by name. */
  guards: Readonly<Record<string, string>>
  /** The description of each deadline, by name. */
  deadlines: Readonly<Record<string, ChartDeadline>>
  /** The description of each effect, by name. */
  effects: Readonly<Record<string, string>>
}

/**
 * The chart of one machine with a description of each event, guard and deadline. Effects are optional in the type,
 * because assignments are actions too and have no description; `explain` throws if an effect has none.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: the other type parameters do not matter to a chart
export type ChartOf<Machine> =
  Machine extends StateMachine<
    any,
    infer Event,
    any,
    any,
    infer Action,
    infer Guard,
    infer Delay,
    any,
    any,
    any,
    any,
    any,
    any,
    any
  >
    ? Chart & {
        machine: Machine
        /** May also describe creation events, which are not in the machine's type. */
        events: Readonly<Record<Event['type'], ChartEvent>>
        guards: Readonly<Record<Guard['type'], string>>
        deadlines: Readonly<Record<Delay, ChartDeadline>>
        effects: Readonly<Partial<Record<Action['type'], string>>>
      }
    : never
// biome-ignore-end lint/suspicious/noExplicitAny: end of the type
