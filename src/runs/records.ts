/** What a run leaves behind: its journal and its checkpoints, for reading. Source: requirement 4.14; contract 5. */
import { listTransitions } from '../../storage/actors.ts'
import { findCheckpoint, listCheckpoints } from '../../storage/checkpoint-lists.ts'
import { getStep } from '../../storage/steps.ts'
import type { Store } from '../../storage/store.ts'
import type { AgentStepRow } from '../../storage/tables.ts'
import type { Caller } from '../http/caller.ts'
import type { Cursors } from '../http/cursor.ts'
import { notFound } from '../http/errors.ts'
import { page } from '../http/pagination.ts'
import { presentTransition } from '../runtime/transition.ts'
import type { RunAccess } from './access.ts'
import { runAddress } from './actor.ts'
import { type DamagedCheckpoint, selectCheckpoint } from './checkpoints.ts'
import { inputCheckpoint } from './input-checkpoint.ts'
import { type PresentedCheckpoint, presentCheckpoint, presentStep } from './present.ts'

export interface PageRequest {
  limit: number
  cursor?: string
}

export interface RecordParts {
  store: Store
  access: RunAccess
  cursors: Cursors
  onDamaged(damage: DamagedCheckpoint): void
}

/** What reads each list. */
const listPermissions = {
  'run-transitions': 'agent-runs:get',
  'run-checkpoints': 'agent-runs:checkpoints:list',
} as const

export class RunRecords {
  constructor(private readonly parts: RecordParts) {}

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, runId: string, request: PageRequest) {
    const { store } = this.parts
    return this.#page(caller, runId, 'run-transitions', request, async (after, limit) => {
      const { kind, id: actorId } = runAddress(runId)
      const rows = await store.all(listTransitions(store, { kind, actorId, after: after ?? 0, limit }))
      return rows.map(presentTransition)
    })
  }

  /** The checkpoints, newest first. Throws `notFound`, `invalid_cursor` (422). */
  async checkpoints(caller: Caller, runId: string, request: PageRequest) {
    const { store, access } = this.parts
    return this.#page(caller, runId, 'run-checkpoints', request, async (before, limit) => {
      const rows = await store.all(listCheckpoints(store, { runId, before: before ?? Number.MAX_SAFE_INTEGER, limit }))
      const shown = rows.map(presentCheckpoint)
      if (rows.length === limit) return shown
      const { row } = await access.find(caller, runId, 'agent-runs:checkpoints:list')
      const first = await inputCheckpoint(store, row)
      return first ? [...shown, first.checkpoint] : shown
    })
  }

  /** The checkpoint that a continuation goes on from, with its artifact and its step. Throws `notFound`. */
  async latestCheckpoint(caller: Caller, runId: string) {
    const { store, access, onDamaged } = this.parts
    const run = await access.find(caller, runId, 'agent-runs:steps:checkpoints:get')
    const latest = await selectCheckpoint(store, runId, onDamaged)
    if (!latest) {
      const first = await inputCheckpoint(store, run.row)
      if (!first) throw notFound()
      return { ...first, stepPayload: null }
    }
    const { row, runtimeCheckpoint } = latest
    const step = await store.first<AgentStepRow>(getStep(store, { runId, agentStepId: row.agent_step_id }))
    if (!step) throw notFound()
    return { checkpoint: presentCheckpoint(row), runtimeCheckpoint, stepPayload: presentStep(step) }
  }

  /** One checkpoint of one step. Throws `notFound`, also for a pair that does not belong together. */
  async checkpoint(
    caller: Caller,
    runId: string,
    agentStepId: number,
    checkpointId: number,
  ): Promise<PresentedCheckpoint> {
    const { store, access } = this.parts
    await access.find(caller, runId, 'agent-runs:steps:checkpoints:get')
    const row = await store.first(findCheckpoint(store, { runId, agentStepId, checkpointId }))
    if (!row) throw notFound()
    return presentCheckpoint(row)
  }

  /** A page of something that is numbered within the run. */
  async #page<Item extends { sequence: number }>(
    caller: Caller,
    runId: string,
    list: keyof typeof listPermissions,
    { limit, cursor }: PageRequest,
    read: (from: number | undefined, limit: number) => Promise<Item[]>,
  ) {
    const { access, cursors } = this.parts
    await access.find(caller, runId, listPermissions[list])
    const scope = { list, organizationId: caller.organizationId, filters: { runId } }
    const from = cursor === undefined ? undefined : (cursors.open(scope, cursor)[0] as number)
    const { items, pagination } = page(await read(from, limit + 1), limit, ({ sequence }) =>
      cursors.seal(scope, [sequence]),
    )
    return { data: { items }, pagination }
  }
}
