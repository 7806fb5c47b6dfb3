/** A statechart as Troupe shows it to people: the machine, and what its names mean. */
import type { AnyStateMachine, StateMachine } from 'xstate'

/** An event that comes by itself when a time is up is a deadline, and explained as such. */
export interface ChartEvent {
  /** Somebody asks for it; the world tells of it: a runner, a provider, an endpoint; or the server goes on by itself. */
  by: 'command' | 'report' | 'server'
  /** When it comes; of a command, by which call of the API. In Markdown. */
  says: string
}

export interface ChartDeadline {
  limits: string
  /** The setting that changes it, where there is one. */
  setting?: string
  /** Each actor has a delay of its own, which follows from its context: there is no default. */
  varies?: true
}

export interface Chart {
  /** What the actors are called: `Agent run`. */
  title: string
  /** A paragraph: what the actor is, and what its states have in common. Its first sentence stands for it in lists. */
  about: string
  /** The same of the statechart of one actor, where each has its own and there is more to say of all of them. */
  aboutOwn?: string
  /** The machine under its default limits; its id is the kind, in URLs too. */
  machine: AnyStateMachine
  /** An input to begin with, so that deadlines can be shown with their defaults. */
  input: unknown
  /** Who sends each event, by its name. */
  events: Readonly<Record<string, ChartEvent>>
  /** Who sends all others, where users name them. */
  otherEvents?: ChartEvent
  /** What each guard asks, by its name. */
  guards: Readonly<Record<string, string>>
  /** What each deadline limits. */
  deadlines: Readonly<Record<string, ChartDeadline>>
  /** What each effect brings about, by its name. */
  effects: Readonly<Record<string, string>>
}

/**
 * The chart of one machine, which explains each of its events, guards and deadlines. Effects are optional here, because
 * assignments are actions too and are not explained; `explain` throws where an effect is missing.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: what a chart does not speak of may be anything
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
        /** Events that create an actor are not in the machine's type; they may stand here too. */
        events: Readonly<Record<Event['type'], ChartEvent>>
        guards: Readonly<Record<Guard['type'], string>>
        deadlines: Readonly<Record<Delay, ChartDeadline>>
        effects: Readonly<Partial<Record<Action['type'], string>>>
      }
    : never
// biome-ignore-end lint/suspicious/noExplicitAny: end of the type
