/** Reads the journal and the checkpoints of a run. Source: requirement 4.14; contract 5. */
import { findCheckpoint, listCheckpoints } from '../../../storage/runs/checkpoint-lists.ts'
import { getStep } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow, RunRow } from '../../../storage/tables.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { page } from '../../platform/http/pagination.ts'
import { readJournal } from '../../runtime/journal.ts'
import type { RunAccess } from '../access.ts'
import { inputArtifact, inputCheckpoint } from '../admission/input-checkpoint.ts'
import { type PresentedCheckpoint, presentCheckpoint, presentStep } from '../present.ts'
import { runAddress } from '../record.ts'
import { type DamagedCheckpoint, selectCheckpoint } from './checkpoints.ts'

interface PageRequest {
  limit: number
  cursor?: string
}

interface RecordParts {
  store: Store
  access: RunAccess
  cursors: Cursors
  onDamaged(damage: DamagedCheckpoint): void
}

export class RunRecords {
  constructor(private readonly parts: RecordParts) {}

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, runId: string, request: PageRequest) {
    await this.parts.access.find(caller, runId, 'agent-runs:get')
    return readJournal(this.parts, caller.organizationId, runAddress(runId), request)
  }

  /** The checkpoints, newest first. Throws `notFound`, `invalid_cursor` (422). */
  async checkpoints(caller: Caller, runId: string, { limit, cursor }: PageRequest) {
    const { access, cursors } = this.parts
    const { row } = await access.find(caller, runId, 'agent-runs:checkpoints:list')
    const scope = { list: 'run-checkpoints', organizationId: caller.organizationId, filters: { runId } }
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.open(scope, cursor)[0])
    const found = await this.#checkpointsBefore(row, before, limit + 1)
    const { items, pagination } = page(found, limit, ({ sequence }) => cursors.seal(scope, [sequence]))
    return { data: { items }, pagination }
  }

  /** The input comes last, if it is still stored. */
  async #checkpointsBefore(run: RunRow, before: number, limit: number): Promise<PresentedCheckpoint[]> {
    const { store } = this.parts
    const rows = await store.all(listCheckpoints(store, { runId: run.id, before, limit }))
    const shown = rows.map(presentCheckpoint)
    if (rows.length === limit) return shown
    const first = await inputCheckpoint(store, run)
    return first ? [...shown, first] : shown
  }

  /** The checkpoint to continue from, with its artifact and its step. Throws `notFound`. */
  async latestCheckpoint(caller: Caller, runId: string) {
    const { store, access, onDamaged } = this.parts
    const run = await access.find(caller, runId, 'agent-runs:steps:checkpoints:get')
    const latest = await selectCheckpoint(store, runId, onDamaged)
    if (!latest) {
      const [checkpoint, runtimeCheckpoint] = await Promise.all([
        inputCheckpoint(store, run.row),
        inputArtifact(store, runId),
      ])
      if (!checkpoint || !runtimeCheckpoint) throw notFound()
      return { checkpoint, runtimeCheckpoint, stepPayload: null }
    }
    const { row, runtimeCheckpoint } = latest
    const step = orNotFound(await store.first<AgentStepRow>(getStep(store, { runId, agentStepId: row.agent_step_id })))
    return { checkpoint: presentCheckpoint(row), runtimeCheckpoint, stepPayload: presentStep(step) }
  }

  /** One checkpoint of one step. Throws `notFound`, also if the checkpoint belongs to another step. */
  async checkpoint(
    caller: Caller,
    runId: string,
    agentStepId: number,
    checkpointId: number,
  ): Promise<PresentedCheckpoint> {
    const { store, access } = this.parts
    await access.find(caller, runId, 'agent-runs:steps:checkpoints:get')
    const row = orNotFound(await store.first(findCheckpoint(store, { runId, agentStepId, checkpointId })))
    return presentCheckpoint(row)
  }
}
