/** Delegations under way: steps of live runs by another Agent than the run's. Source: requirement 4.9, "live delegation". */
import { sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'

interface AgentPlace {
  organizationId: string
  projectId: string
  agentId: string
}

/**
 * Live runs of the Project that wait for the Agent as a delegate, or in which it works as one. Live runs are few, and
 * those of a Release without the Agent are left out before their steps are read.
 */
const delegations = (db: Store['db'], { organizationId, projectId, agentId }: AgentPlace) =>
  db
    .selectFrom('environments')
    .innerJoin('runs', 'runs.environment_id', 'environments.id')
    .innerJoin('deployments', 'deployments.id', 'runs.deployment_id')
    .innerJoin('release_pins', 'release_pins.release_id', 'deployments.release_id')
    .select('runs.id')
    .where('environments.project_id', '=', projectId)
    .where('environments.organization_id', '=', organizationId)
    // literal, and in the words of the partial index
    .where(sql<boolean>`runs.environment_id is not null`)
    .where(sql<boolean>`runs.state not in ('completed', 'failed', 'canceled', 'expired')`)
    .where('release_pins.resource_id', '=', agentId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('agent_steps')
          .select('agent_steps.agent_step_id')
          .whereRef('agent_steps.run_id', '=', 'runs.id')
          .where('agent_steps.kind', '=', 'delegate')
          .where('agent_steps.status', 'in', ['running', 'waiting'])
          // the step's Agent as JSON; the id is between its quotation marks
          .where(sql<boolean>`agent_steps.agent like '%"' || cast(${agentId} as text) || '"%'`),
      ),
    )

/** Runs with a delegation to the Agent under way. */
export const listDelegationsToAgent = query((db, values: AgentPlace & { limit: number }) =>
  delegations(db, values).limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` if a delegation to the Agent is under way, or the Agent does not exist. */
export const agentWithoutDelegations = write(
  (db, values: AgentPlace) =>
    db
      .updateTable('agents')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists }) => not(exists(delegations(db, values)))),
  1,
)
