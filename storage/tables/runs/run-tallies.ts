/** Counts of ended runs. Row types for Kysely; the migrations define the tables. */
import type { RunEnd } from '../../../machines/run/states.ts'

/** `queue`: until work began. `work`: from then to the end. */
export type RunPhase = 'queue' | 'work'

export type TallyColumn = RunEnd | `${RunPhase}_${number}`

export type RunTallyRow = {
  organization_id: string
  /** The first millisecond of the hour in which the runs ended. */
  hour: number
  /** '' for runs outside of Projects. */
  project_id: string
  /** '' for runs outside of Environments. */
  environment_id: string
} & Record<TallyColumn, number>

export interface RunTallyTables {
  run_tallies: RunTallyRow
}
