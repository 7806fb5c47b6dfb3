/** Runs that have ended, counted. Rows as Kysely knows them: the migrations say the rest. */
export type RunOutcome = 'completed' | 'failed' | 'canceled' | 'expired'

/** In the queue: until work began. At work: from there to the end. */
export type RunPhase = 'queue' | 'work'

export type TallyColumn = RunOutcome | `${RunPhase}_${number}`

export type RunTallyRow = {
  organization_id: string
  /** The first millisecond of the hour in which they ended. */
  hour: number
  /** '' for runs outside of Projects. */
  project_id: string
  /** '' for runs outside of Environments. */
  environment_id: string
} & Record<TallyColumn, number>

export interface RunTallyTables {
  run_tallies: RunTallyRow
}
