/** A statechart as Troupe shows it to people: the machine, and what its names mean. */
import type { AnyStateMachine } from 'xstate'

export interface Chart {
  /** What the actors are called: `Agent run`. */
  title: string
  /** A paragraph: what the actor is, and what its states have in common. */
  about: string
  /** The machine under its default limits; its id is the kind, in URLs too. */
  machine: AnyStateMachine
  /** An input to begin with, so that deadlines can be shown with their defaults. */
  input: unknown
  /** What each guard asks, by its name. */
  guards: Readonly<Record<string, string>>
  /** What each deadline limits, and the setting that changes it where there is one. */
  deadlines: Readonly<Record<string, { limits: string; setting?: string }>>
  /** What each effect brings about, by its name. */
  effects: Readonly<Record<string, string>>
}
