/** Records which runs wait for a person, so that they can be found without reading each run. */
import { type RunContext, reportedBy } from '../../machines/run.ts'
import { insertWaitingRun, removeWaitingRun, setWaitingTool } from '../../storage/runs/waiting-runs.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import type { RunChange } from './record.ts'

/** The first call whose result does not come from the server itself. */
const askedOf = (state: string | undefined, context: RunContext | undefined) =>
  state?.startsWith('awaiting') ? context?.awaiting.find((call) => reportedBy(call) === undefined) : undefined

/** The statement that the change needs, if any. */
export function waitingAlong({ before, state, context, at }: RunChange, row: RunRow, store: Store): Write[] {
  const was = askedOf(before?.state, before?.context)
  const asked = askedOf(state, context)
  if (was && !asked) return [removeWaitingRun(store, { runId: row.id })]
  if (!asked) return []
  // a part of the calls was answered
  if (was)
    return was.toolName === asked.toolName ? [] : [setWaitingTool(store, { runId: row.id, tool: asked.toolName })]
  return [
    insertWaitingRun(store, {
      run_id: row.id,
      organization_id: row.organization_id,
      project_id: row.project_id,
      environment_id: row.environment_id,
      agent_id: row.agent_id,
      place: row.environment_id ?? row.organization_id,
      tool: asked.toolName,
      since: at,
    }),
  ]
}
