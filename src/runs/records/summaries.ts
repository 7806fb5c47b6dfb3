/**
 * Summaries of runs for lists: the beginning of the first message, the model, the tokens. Token usage is the sum over
 * root steps; a page reads a limited number of these, and runs with more show none.
 */
import { rootUsage } from '../../../storage/runs/step-lists.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { Binding } from '../admission/bindings.ts'
import type { AgentRun, AgentStep } from '../schema.ts'
import { noUsage, readUsage, sumOfUsage } from './step-columns.ts'

type TokenUsage = AgentStep['tokenUsage']
type RunSummary = NonNullable<AgentRun['summary']>

export const readsContent = 'agent-runs:steps:get'
const stepsAtOnce = 500
const stepsMax = 5_000

/** The summaries of these runs, by id. */
export async function summariesOf(
  store: Store,
  caller: Caller,
  rows: readonly RunRow[],
): Promise<ReadonlyMap<string, RunSummary>> {
  const usage = await usageOf(store, rows)
  return new Map(
    rows.map((row) => {
      const { provider, model } = JSON.parse(row.binding) as Partial<Binding>
      const place = { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id }
      return [
        row.id,
        {
          ...(isWithinScope(caller, readsContent, place) && { query: row.query }),
          provider: provider ?? null,
          model: model ?? null,
          tokenUsage: usage.get(row.id) ?? null,
        },
      ]
    }),
  )
}

/** Token usage by run; none for runs with too many root steps. */
async function usageOf(store: Store, rows: readonly RunRow[]): Promise<Map<string, TokenUsage>> {
  const order = rows.map(({ id }) => id).sort()
  const sums = new Map(order.map((id) => [id, noUsage]))
  const ids = JSON.stringify(order)
  let after = { runId: '', agentStepId: 0 }
  for (let read = 0; order.length > 0; read += stepsAtOnce) {
    if (read === stepsMax) {
      for (const id of order) if (id >= after.runId) sums.delete(id)
      break
    }
    const steps = await store.all(rootUsage(store, { ids, ...after, limit: stepsAtOnce }))
    for (const { run_id, token_usage } of steps)
      sums.set(run_id, sumOfUsage(sums.get(run_id) ?? noUsage, readUsage(token_usage)))
    const last = steps.at(-1)
    if (!last || steps.length < stepsAtOnce) break
    after = { runId: last.run_id, agentStepId: last.agent_step_id }
    await nextTurn()
  }
  return sums
}
