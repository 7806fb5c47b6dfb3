/**
 * What the Environment's history is told of a run: that it was admitted, that it began to work after a start or a
 * continue, and how it ended. Source: requirement 6; contract 7, "Who emits what".
 */
import type { RunContext } from '../../machines/run.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import type { EventKind } from '../events/kinds.ts'
import { recordEvent } from '../events/record.ts'
import type { RunChange } from './actor.ts'

/** States that a run comes to once in a chain, by the event that tells of them. */
const endings: Readonly<Record<string, EventKind>> = {
  completed: 'run.completed',
  failed: 'run.failed',
  canceled: 'run.canceled',
  expired: 'run.expired',
}

interface Told {
  writes: Write[]
  /** Whether the run has begun to work since its start or its last continue. */
  begun: boolean
}

/** The events of a change, for a run in an Environment; none for one of a System Agent. */
export function tellHistory({ before, moves, at }: RunChange, row: RunRow, store: Store, begun: boolean): Told {
  if (row.environment_id === null || row.project_id === null) return { writes: [], begun }
  const { id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_revision_id } = row
  const told: Told = { writes: [], begun }
  let chain = before?.context.chain ?? 0

  for (const { from, to, by, context } of moves) {
    const { chain: nextChain } = context as unknown as RunContext
    if (nextChain > chain) told.begun = false
    chain = nextChain
    const type = kindOf(from, to, told.begun)
    if (!type) continue
    if (type === 'run.started') told.begun = true
    told.writes.push(
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
      }),
    )
  }
  return told
}

function kindOf(from: string | null, to: string, begun: boolean): EventKind | undefined {
  if (from === null) return 'run.created'
  if (from === to) return undefined
  return to === 'running' && !begun ? 'run.started' : endings[to]
}
