/** The session of an attempt that outlived the server's memory: its runner is elsewhere and goes on reporting. */
import type { RunContext } from '../../../machines/run.ts'
import { listOpenSteps } from '../../../storage/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { AttemptClaims } from '../../http/caller.ts'
import { StaleAttempt } from '../../runner/protocol.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type RunRecord, runAddress } from '../actor.ts'
import type { AttemptSession } from './sessions.ts'

interface RestoreParts {
  store: Store
  actors: Actors
  clock: Clock
  nameOf(agentId: string, agentRevisionId: string): Promise<string> | string
}

/** Makes the session again. Throws `StaleAttempt` when the run is no longer in this attempt. */
export const restoreSession =
  ({ store, actors, clock, nameOf }: RestoreParts) =>
  async (claims: AttemptClaims): Promise<AttemptSession> => {
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) {
      throw new StaleAttempt('The attempt has ended or was replaced.')
    }
    const { agent_id: agentId, agent_revision_id: agentRevisionId } = actor.row.row
    const name = await nameOf(agentId, agentRevisionId)
    const open = await store.all(listOpenSteps(store, { runId: claims.agentRunId }))
    const ofAttempt = open.filter(({ attempt }) => attempt === actor.context.attempt)
    return {
      claims,
      attempt: actor.context.attempt,
      agent: JSON.stringify({ agentId, agentRevisionId, name }),
      agentName: name,
      rootStepId: ofAttempt.find(({ parent_agent_step_id }) => parent_agent_step_id === null)?.agent_step_id ?? null,
      openSteps: new Map(ofAttempt.map((step) => [step.agent_step_id, step])),
      progressAt: clock.now(),
      beatAt: 0,
      preparing: undefined,
      lastCheckpoint: undefined,
      onSignal: undefined,
    }
  }
