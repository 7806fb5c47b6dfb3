/** The session of an attempt that outlived the server's memory: its runner is elsewhere and goes on reporting. */
import type { RunContext } from '../../../../machines/run.ts'
import { listOpenSteps } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
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

/** Makes the session again. Throws `StaleAttempt` when the run is no longer in this attempt. */
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
    const ofAttempt = open.filter(({ attempt }) => attempt === actor.context.attempt)
    const seenAt = await lastActivityOf(store, claims.agentRunId)
    return {
      claims,
      attempt: actor.context.attempt,
      chain: actor.context.chain,
      agentId: row.agent_id,
      agents,
      rootStepId: ofAttempt.find(({ parent_agent_step_id }) => parent_agent_step_id === null)?.agent_step_id ?? null,
      openSteps: new Map(ofAttempt.map((step) => [step.agent_step_id, step])),
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

async function agentsOfRun(pins: Pins, row: RunRow): Promise<AgentsOfAttempt> {
  try {
    const [{ name, content }, { operations, delegates }] = await Promise.all([
      pins.content(row),
      pins.means(row, JSON.parse(row.binding) as Binding),
    ])
    const { agent_id: agentId, agent_revision_id: agentRevisionId } = row
    return agentsOf({ agentId, agentRevisionId, name, content, operations, delegates })
  } catch (error) {
    // What the attempt works with was taken away; the next one fails with that reason.
    if (error instanceof BindingUnavailable) throw new StaleAttempt(error.message, { cause: error })
    throw error
  }
}
