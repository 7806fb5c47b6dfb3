/**
 * Events of a run in the Environment's history: admission, begin of work after a start or a continue, waiting, and end.
 * Source: requirement 6; contract 7, "Who emits what".
 */
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import type { By } from '../../runtime/kind.ts'
import type { ChainTimes, RunChange } from '../record.ts'
import { isWarning, presentBudget, presentWarning } from './budget-events.ts'

/** The event of each state that a run enters. */
const endings: Readonly<Record<string, EventKind>> = {
  completed: 'run.completed',
  failed: 'run.failed',
  canceled: 'run.canceled',
  expired: 'run.expired',
  awaitingToolResult: 'run.waiting',
  awaitingDelegateResult: 'run.waiting',
}

/**
 * The events of a change, for a run in an Environment; a System Agent's run has none. `times` are those of the chain
 * before each move.
 */
export function recordEvents(
  { before, moves, at }: RunChange,
  row: RunRow,
  store: Store,
  times: readonly ChainTimes[],
): Write[] {
  if (row.environment_id === null || row.project_id === null) return []
  const { id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_revision_id } = row
  const writes: Write[] = []
  const record = (type: EventKind, actor: By, data: object) =>
    writes.push(
      ...recordEvent(store, {
        organizationId: organization_id,
        projectId: project_id,
        environmentId: environment_id,
        type,
        subject: { type: 'agentRun', id },
        actor,
        data: {
          agentRunId: id,
          agentId: agent_id,
          agentRevisionId: agent_revision_id,
          deploymentId: deployment_id,
          ...data,
        },
        at,
        trace: row.trace,
      }),
    )

  let isWarned = before?.context.budgetWarned === true
  for (const [index, { event, from, to, by, context }] of moves.entries()) {
    const type = kindOf(from, to, times[index]?.begunAt !== null)
    if (type) record(type, by, { from, to })
    if (isWarning(context, isWarned)) {
      isWarned = true
      record('budget.warning', by, { organizationId: organization_id, ...presentWarning(context) })
    }
    if (event.type === 'progressed' && to === 'failed') {
      record('budget.exhausted', by, { organizationId: organization_id, percent: 100, ...presentBudget(context) })
    }
  }
  return writes
}

function kindOf(from: string | null, to: string, begun: boolean): EventKind | undefined {
  if (from === null) return 'run.created'
  if (from === to) return undefined
  return to === 'running' && !begun ? 'run.started' : endings[to]
}
