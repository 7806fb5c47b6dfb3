/** Restores the session of an attempt whose external runner continues after a restart of the server. */
import type { RunContext } from '../../../../machines/run.ts'
import { latestCheckpointId } from '../../../../storage/runs/checkpoints.ts'
import { listOpenSteps } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import type { AgentStepRow, RunRow } from '../../../../storage/tables.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { Binding } from '../../admission/bindings.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import { StaleAttempt } from '../../runner/protocol/protocol.ts'
import { lastActivityOf } from '../last-activity.ts'
import type { AttemptSession } from '../sessions.ts'
import { type AgentsOfAttempt, agentsOf } from './agents-of-attempt.ts'
import { BindingUnavailable, type Pins } from './assignment.ts'

interface RestoreParts {
  store: Store
  actors: Actors
  clock: Clock
  pins: Pins
}

/** Restores the session. Throws `StaleAttempt` if the run is no longer in this attempt. */
export const restoreSession =
  ({ store, actors, clock, pins }: RestoreParts) =>
  async (claims: AttemptClaims): Promise<AttemptSession> => {
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) {
      throw new StaleAttempt('The attempt has ended or was replaced.')
    }
    const { row } = actor.row
    const agents = await agentsOfRun(pins, row)
    const open = await store.all(listOpenSteps(store, { runId: claims.agentRunId }))
    const seenAt = await lastActivityOf(store, claims.agentRunId)
    return {
      claims,
      attempt: actor.context.attempt,
      chain: actor.context.chain,
      callsFirst: row.forked_from !== null && actor.context.chain === 1,
      hasBudget: actor.context.budget !== undefined,
      agentId: row.agent_id,
      agents,
      ...stepsOf(open, actor.context.attempt),
      operationCalls: new Map(),
      modelCalls: 0,
      modelCall: undefined,
      progressAt: clock.now(),
      beatAt: 0,
      heldMs: Math.max(0, seenAt - (actor.context.activeSince ?? seenAt)),
      seenAt,
      preparing: undefined,
      lastCheckpoint: undefined,
      suspended: undefined,
      onSignal: undefined,
    }
  }

/** Updates the session with the attempt's reports to other servers. */
export const refreshSession =
  ({ store }: Pick<RestoreParts, 'store'>) =>
  async (session: AttemptSession): Promise<void> => {
    const { agentRunId: runId } = session.claims
    const [open, checkpoint] = await Promise.all([
      store.all(listOpenSteps(store, { runId })),
      store.first(latestCheckpointId(store, { runId })),
    ])
    Object.assign(session, stepsOf(open, session.attempt))
    if (checkpoint?.checkpoint_id === session.lastCheckpoint?.checkpointId) return
    session.lastCheckpoint = undefined
    session.suspended = undefined
  }

/** The open steps of an attempt. */
function stepsOf(open: readonly AgentStepRow[], attempt: number): Pick<AttemptSession, 'rootStepId' | 'openSteps'> {
  const ofAttempt = open.filter((step) => step.attempt === attempt)
  return {
    rootStepId: ofAttempt.find(({ parent_agent_step_id }) => parent_agent_step_id === null)?.agent_step_id ?? null,
    openSteps: new Map(ofAttempt.map((step) => [step.agent_step_id, step])),
  }
}

async function agentsOfRun(pins: Pins, row: RunRow): Promise<AgentsOfAttempt> {
  try {
    const [{ name, content }, { model, operations, delegates }] = await Promise.all([
      pins.content(row),
      pins.means(row, JSON.parse(row.binding) as Binding),
    ])
    const { agent_id: agentId, agent_revision_id: agentRevisionId } = row
    return agentsOf({ agentId, agentRevisionId, name, content, model, operations, delegates })
  } catch (error) {
    // A dependency of the attempt was removed; the next attempt fails with that reason.
    if (error instanceof BindingUnavailable) throw new StaleAttempt(error.message, { cause: error })
    throw error
  }
}
