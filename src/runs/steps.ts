/** Steps of a run: flat, or as a tree. Source: requirement 4.14, "List steps", "Get a step"; contract 5, "Steps". */
import { countRootSteps, countSteps, listSteps, listStepsBelow, type StepListShape } from '../../storage/step-lists.ts'
import { getStep } from '../../storage/steps.ts'
import type { Store } from '../../storage/store.ts'
import type { AgentStepRow } from '../../storage/tables.ts'
import type { Caller } from '../http/caller.ts'
import type { Cursors } from '../http/cursor.ts'
import { notFound } from '../http/errors.ts'
import { readLargePage } from '../http/pagination.ts'
import type { RunAccess } from './access.ts'
import { type PresentedStep, presentStep } from './present.ts'

export interface StepListRequest {
  sort: 'createdAt' | 'updatedAt'
  order: 'asc' | 'desc'
  limit: number
  cursor?: string
  /** 0: all steps, flat. 1: root steps. More: as many levels. */
  depth: number
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const

export class RunSteps {
  constructor(private readonly parts: { store: Store; access: RunAccess; cursors: Cursors }) {}

  /** A page of steps with the number of all at that depth. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, runId: string, { sort, order, limit, cursor, depth }: StepListRequest) {
    const { store, access, cursors } = this.parts
    await access.find(caller, runId, 'agent-runs:steps:list')
    const scope = {
      list: 'agent-steps',
      organizationId: caller.organizationId,
      filters: { runId, depth },
      order: `${sort} ${order}`,
    }
    const before = order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER
    const shape: StepListShape = { sort: columns[sort], order, roots: depth > 0 }
    const [{ data, pagination }, count] = await Promise.all([
      readLargePage<AgentStepRow, PresentedStep>(
        { cursors, scope },
        { limit, cursor },
        (after = [before, before], most) => {
          const [at, agentStepId] = after as [number, number]
          return store.all<AgentStepRow>(listSteps(shape)(store, { runId, at, agentStepId, limit: most }))
        },
        (row) => [row[shape.sort], row.agent_step_id],
        presentStep,
      ),
      store.first((depth > 0 ? countRootSteps : countSteps)(store, { runId })),
    ])
    const { items } = data
    for (let level = 1, parents = items; level < depth && parents.length > 0; level += 1) {
      parents = await this.#hangChildren(runId, parents, shape)
    }
    return { data: { items }, pagination: { ...pagination, totalCount: count?.count ?? 0 } }
  }

  /** One step, without the steps below it. Throws `notFound`. */
  async get(caller: Caller, runId: string, agentStepId: number): Promise<PresentedStep> {
    const { store, access } = this.parts
    await access.find(caller, runId, 'agent-runs:steps:get')
    const row = await store.first<AgentStepRow>(getStep(store, { runId, agentStepId }))
    if (!row) throw notFound()
    return presentStep(row)
  }

  /** Hangs the next level into the steps, in the list's order, and answers it. */
  async #hangChildren(runId: string, parents: readonly PresentedStep[], { sort, order }: StepListShape) {
    const byId = new Map(parents.map((step) => [step.agentStepId, step]))
    const ids = [...byId.keys()]
    const range = { first: ids.reduce((a, b) => Math.min(a, b)), last: ids.reduce((a, b) => Math.max(a, b)) }
    const rows = await this.parts.store.all<AgentStepRow>(listStepsBelow(this.parts.store, { runId, ...range }))
    const sign = order === 'asc' ? 1 : -1
    rows.sort((one, other) => sign * (one[sort] - other[sort] || one.agent_step_id - other.agent_step_id))
    const children: PresentedStep[] = []
    for (const row of rows) {
      const parent = byId.get(row.parent_agent_step_id as number)
      if (!parent) continue
      const child = presentStep(row)
      parent.childAgentSteps.push(child)
      children.push(child)
    }
    return children
  }
}
