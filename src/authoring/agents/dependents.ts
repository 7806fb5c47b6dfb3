/**
 * Dependents that prevent the deletion of an Agent. Each area that lets something live depend on an Agent adds its check.
 * Source: requirement 4.9.
 */

import { agentWithoutDelegations, listDelegationsToAgent } from '../../../storage/authoring/delegations.ts'
import { agentWithoutEnabledJobs, listEnabledJobsOfAgent } from '../../../storage/automation/agent-jobs.ts'
import { agentWithoutLiveWorkflowRuns, listLiveWorkflowRunsOfAgent } from '../../../storage/automation/workflows.ts'
import { agentWithoutActiveDeployment, listActiveDeploymentsOfAgent } from '../../../storage/delivery/deployments.ts'
import { agentWithoutLiveRuns, liveRuns } from '../../../storage/runs/run-removal.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'

/** The ids of an Agent and its parents. */
interface AgentPlace {
  organizationId: string
  projectId: string
  agentId: string
}

/** Something live that uses the Agent, as `details.dependents` shows it. */
interface Dependent {
  type: string
  id: string
}

interface DependencyCheck {
  /** The current dependents, up to `limit`. */
  find(store: Store, agent: AgentPlace, limit: number): Promise<Dependent[]>
  /** Fails the unit of work with `StaleWrite` when there is one at the moment of the commit. */
  guard(store: Store, agent: AgentPlace): Write
}

const liveAgentRuns: DependencyCheck = {
  async find(store, { organizationId, agentId }, limit) {
    const runs = await liveRuns(store, { target: 'agent', id: agentId, organizationId }, limit)
    return runs.map(({ id }) => ({ type: 'agentRun', id }))
  },
  guard: (store, { organizationId, agentId }) => agentWithoutLiveRuns(store, { organizationId, id: agentId }),
}

/** Runs of other Agents that wait for this one as a delegate: its approvals and calls would be removed with it. */
const delegations: DependencyCheck = {
  async find(store, agent, limit) {
    const runs = await store.all(listDelegationsToAgent(store, { ...agent, limit }))
    return runs.map(({ id }) => ({ type: 'agentRun', id }))
  },
  guard: (store, agent) => agentWithoutDelegations(store, agent),
}

const activeDeployments: DependencyCheck = {
  async find(store, agent, limit) {
    const deployments = await store.all(listActiveDeploymentsOfAgent(store, { ...agent, limit }))
    return deployments.map(({ id }) => ({ type: 'deployment', id }))
  },
  guard: (store, agent) => agentWithoutActiveDeployment(store, agent),
}

const enabledJobs: DependencyCheck = {
  async find(store, agent, limit) {
    const jobs = await store.all(listEnabledJobsOfAgent(store, { ...agent, limit }))
    return jobs.map(({ id }) => ({ type: 'agentJob', id }))
  },
  guard: (store, agent) => agentWithoutEnabledJobs(store, agent),
}

const liveWorkflowRuns: DependencyCheck = {
  async find(store, { organizationId, agentId }, limit) {
    const runs = await store.all(listLiveWorkflowRunsOfAgent(store, { organizationId, agentId, limit }))
    return runs.map(({ id }) => ({ type: 'workflowRun', id }))
  },
  guard: (store, { organizationId, agentId }) => agentWithoutLiveWorkflowRuns(store, { organizationId, agentId }),
}

const checks: readonly DependencyCheck[] = [
  liveAgentRuns,
  delegations,
  activeDeployments,
  enabledJobs,
  liveWorkflowRuns,
]

const shownMax = 20

/** Throws `agent_in_use` (409) with the first 20 dependents. */
export async function assertUnused(store: Store, agent: AgentPlace): Promise<void> {
  const dependents: Dependent[] = []
  for (const { find } of checks) {
    if (dependents.length < shownMax) dependents.push(...(await find(store, agent, shownMax - dependents.length)))
  }
  if (dependents.length === 0) return
  const message =
    'Something live depends on the Agent. Activate Deployments without it, disable its jobs, and end its runs first.'
  throw new ApiError(409, 'agent_in_use', message, { details: { dependents } })
}

/** The same, decided when the unit of work is committed. */
export const unusedGuards = (store: Store, agent: AgentPlace): Write[] => checks.map(({ guard }) => guard(store, agent))
