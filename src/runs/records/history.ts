/**
 * Events of a run in the Environment's history: admission, begin of work after a start or a continue, waiting, and end.
 * Source: requirement 6; contract 7, "Who emits what".
 */
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import type { ChainTimes, RunChange } from '../record.ts'

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
  { moves, at }: RunChange,
  row: RunRow,
  store: Store,
  times: readonly ChainTimes[],
): Write[] {
  if (row.environment_id === null || row.project_id === null) return []
  const { id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_revision_id } = row
  const writes: Write[] = []

  for (const [index, { from, to, by }] of moves.entries()) {
    const type = kindOf(from, to, times[index]?.begunAt !== null)
    if (!type) continue
    writes.push(
      ...recordEvent(store, {
        organizationId: organization_id,
        projectId: project_id,
        environmentId: environment_id,
        type,
        subject: { type: 'agentRun', id },
        actor: by,
        data: {
          agentRunId: id,
          agentId: agent_id,
          agentRevisionId: agent_revision_id,
          deploymentId: deployment_id,
          from,
          to,
        },
        at,
        trace: row.trace,
      }),
    )
  }
  return writes
}

function kindOf(from: string | null, to: string, begun: boolean): EventKind | undefined {
  if (from === null) return 'run.created'
  if (from === to) return undefined
  return to === 'running' && !begun ? 'run.started' : endings[to]
}
