/**
 * Reads the steps of a run, flat or as a tree. Source: requirement 4.14, "List steps", "Get a step"; contract 5,
 * "Steps".
 */
import {
  countRootSteps,
  countSteps,
  listSteps,
  listStepsBelow,
  outlineStepsBelow,
  type StepListShape,
} from '../../../storage/runs/step-lists.ts'
import { getStep } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow } from '../../../storage/tables.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { charactersIn, pageCharactersMax, readAtOnceMax, readLargePage } from '../../platform/http/pagination.ts'
import type { RunAccess } from '../access.ts'
import { type PresentedStep, presentStep } from '../present.ts'
import { orderOfSteps } from './step-ledger.ts'

interface StepListRequest {
  sort: 'createdAt' | 'updatedAt'
  order: 'asc' | 'desc'
  limit: number
  cursor?: string
  /** 0: all steps, flat; 1: root steps; more: that many levels. */
  depth: number
}

/** The remaining bytes of a page for step inputs and outputs. */
interface Room {
  characters: number
}
type OutlinedStepRow = Omit<AgentStepRow, 'input' | 'output'>
const outlinesAtOnceMax = 200

/** A step without its large contents, which a read of the single step includes. */
const presentOutline = (row: OutlinedStepRow): PresentedStep => ({
  ...presentStep({ ...row, input: null, output: null }),
  abridged: true,
})

const columns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const

export class RunSteps {
  constructor(private readonly parts: { store: Store; access: RunAccess; cursors: Cursors }) {}

  /** A page of steps with the total number at that depth. Throws `notFound`, `invalid_cursor` (422). */
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
        async (after = [before, before, before], most) => {
          const place = await this.#placeAt(runId, after as number[])
          return store.all<AgentStepRow>(listSteps(shape)(store, { runId, ...place, limit: most }))
        },
        (row) => [row[shape.sort], row.sequence, row.agent_step_id],
        presentStep,
      ),
      store.first((depth > 0 ? countRootSteps : countSteps)(store, { runId })),
    ])
    const { items } = data
    const room = { characters: pageCharactersMax }
    for (let level = 1, parents = items; level < depth && parents.length > 0; level += 1) {
      parents = await this.#hangChildren(runId, parents, shape, room)
    }
    return { data: { items }, pagination: { ...pagination, totalCount: count?.count ?? 0 } }
  }

  /** One step without its child steps. Throws `notFound`. */
  async get(caller: Caller, runId: string, agentStepId: number): Promise<PresentedStep> {
    const { store, access } = this.parts
    await access.find(caller, runId, 'agent-runs:steps:get')
    const row = orNotFound(await store.first<AgentStepRow>(getStep(store, { runId, agentStepId })))
    return presentStep(row)
  }

  /** A cursor of an earlier version has no sequence. */
  async #placeAt(runId: string, after: number[]) {
    const [at, agentStepId] = [after[0] as number, after.at(-1) as number]
    if (after.length === 3) return { at, sequence: after[1] as number, agentStepId }
    const step = await this.parts.store.first<AgentStepRow>(getStep(this.parts.store, { runId, agentStepId }))
    return { at, sequence: step?.sequence ?? 0, agentStepId }
  }

  /**
   * Adds the next level to the steps in the list's order, and returns it. `room` is the remaining size for contents;
   * without room, steps are shown in outline.
   */
  async #hangChildren(runId: string, parents: readonly PresentedStep[], { sort, order }: StepListShape, room: Room) {
    const byId = new Map(parents.map((step) => [step.agentStepId, step]))
    const found: { row: OutlinedStepRow; child: PresentedStep }[] = []
    for await (const row of this.#below(runId, [...byId.keys()], room)) {
      if (!byId.has(row.parent_agent_step_id as number)) continue
      if ('input' in row) room.characters -= charactersIn(row)
      const child = 'input' in row && room.characters >= 0 ? presentStep(row) : presentOutline(row)
      found.push({ row, child })
    }
    const sign = order === 'asc' ? 1 : -1
    found.sort(({ row: a }, { row: b }) => sign * (a[sort] - b[sort] || orderOfSteps(a, b)))
    for (const { child } of found) byId.get(child.parentAgentStepId as number)?.childAgentSteps.push(child)
    return found.map(({ child }) => child)
  }

  /** The child steps, and possibly a few others; with contents only while there is room. */
  async *#below(runId: string, parents: number[], room: Room): AsyncGenerator<AgentStepRow | OutlinedStepRow> {
    const { store } = this.parts
    const last = parents.reduce((a, b) => Math.max(a, b))
    let after = { parent: parents.reduce((a, b) => Math.min(a, b)), agentStepId: 0 }
    for (;;) {
      const isRoom = room.characters > 0
      const limit = isRoom ? readAtOnceMax : outlinesAtOnceMax
      const values = { runId, ...after, last, limit }
      const rows = isRoom
        ? await store.all<AgentStepRow>(listStepsBelow(store, values))
        : await store.all<OutlinedStepRow>(outlineStepsBelow(store, values))
      yield* rows
      const end = rows.at(-1)
      if (!end || rows.length < limit) return
      after = { parent: end.parent_agent_step_id as number, agentStepId: end.agent_step_id }
    }
  }
}
