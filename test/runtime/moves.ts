/** What several moves of an actor start from, and lead to. */
import type { AnyEventObject } from 'xstate'
import { HandClock } from './statecharts/clock.ts'

// biome-ignore lint/suspicious/noExplicitAny: the functions handle rows of all tables
export type Loose = Record<string, any>

/** Nobody moves it. */
export const clock = new HandClock()
export const at = clock.now()

/** The place of all actors; the organization is filled in. */
export const place = { organization_id: '', project_id: 'prj_x', environment_id: 'env_x' }

/** A stored actor, and the events sent to it. */
export interface Case {
  kind: string
  table: string
  /** The initial context, and the relevant columns of the row. */
  input?: unknown
  row?: Loose
  context?: Loose
  /** Other rows that must exist. */
  beside?: [table: string, row: Loose][]
  events: AnyEventObject[]
  state: string
}
