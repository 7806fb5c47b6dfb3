/** Builds the rows of an attempt's checkpoints, each based on the previous one. */
import { latestCheckpoint } from '../../../../storage/runs/checkpoints.ts'
import type { Store } from '../../../../storage/store.ts'
import {
  type CheckpointTrail,
  checkpointRow,
  type DamagedCheckpoint,
  isLargeCheckpoint,
  largeCheckpointRow,
  selectCheckpoint,
} from '../../records/checkpoints.ts'
import type { Report } from '../../reports.ts'
import type { CheckpointReport } from '../../runner/protocol/protocol.ts'
import type { AttemptSession } from '../sessions.ts'

/** Builds the row of a run's next checkpoint. */
export interface CheckpointWriter {
  /** Whether the run's last checkpoint is this attempt's and of kind `suspended`. */
  isSuspended(session: AttemptSession): Promise<boolean>
  write(
    session: AttemptSession,
    agentStepId: number,
    report: CheckpointReport,
    checkpointId: number,
    at: number,
  ): Promise<Extract<Report, { report: 'checkpointed' }>['row']> | Extract<Report, { report: 'checkpointed' }>['row']
}

export class ChainedCheckpoints implements CheckpointWriter {
  constructor(
    private readonly store: Store,
    private readonly onDamaged: (damage: DamagedCheckpoint) => void,
  ) {}

  write(session: AttemptSession, agentStepId: number, report: CheckpointReport, checkpointId: number, at: number) {
    const place = { checkpointId, runId: session.claims.agentRunId, agentStepId, attempt: session.attempt }
    const keep = ({ row, trail }: ReturnType<typeof checkpointRow>) => {
      session.lastCheckpoint = trail
      return row
    }
    const isLarge = isLargeCheckpoint(report)
    const next = (previous: CheckpointTrail | null) => {
      const given = { previous, report, place, at }
      return isLarge ? largeCheckpointRow(given).then(keep) : keep(checkpointRow(given))
    }
    // The first attempt has no previous checkpoint; a restored session must query it.
    if (session.lastCheckpoint !== undefined) return next(session.lastCheckpoint)
    return this.#latest(session).then(next)
  }

  async isSuspended({ claims, attempt }: AttemptSession): Promise<boolean> {
    const latest = await this.store.first(latestCheckpoint(this.store, { runId: claims.agentRunId }))
    return latest?.kind === 'suspended' && latest.attempt === attempt
  }

  async #latest(session: AttemptSession): Promise<CheckpointTrail | null> {
    return (await selectCheckpoint(this.store, session.claims.agentRunId, this.onDamaged))?.trail ?? null
  }
}
