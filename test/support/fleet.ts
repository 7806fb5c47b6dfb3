/** The counts of actors that the store maintains, and the counts of the rows themselves. */
import type { Database } from 'bun:sqlite'

/** The location of the rows of each kind, as the fleet requirement defines it. */
const kinds: Record<string, string> = {
  run: 'select coalesce(environment_id, organization_id) as place, state from runs',
  'operation-invocation': 'select environment_id as place, state from operation_invocations',
  'worker-call': 'select environment_id as place, state from worker_calls',
  environment: 'select id as place, state from environments',
  deployment: 'select environment_id as place, state from deployments',
  integration: 'select organization_id as place, state from integrations',
  delivery: 'select environment_id as place, state from deliveries',
  'webhook-recovery': 'select environment_id as place, state from webhook_recoveries',
  apply: 'select environment_id as place, state from applies',
  'agent-job': 'select environment_id as place, state from agent_jobs',
  'workflow-run': 'select environment_id as place, state from workflow_runs where actor_user_id is null',
  deletion: "select organization_id as place, state from deletions where target <> 'organization'",
  entity: 'select environment_id as place, state from entities',
  subscription: 'select organization_id as place, state from subscriptions',
}

/** By kind: `place state count`, as counted from the rows and as maintained by the store. */
export function populationsOf(database: Database): Record<'found' | 'counted', Record<string, string[]>> {
  const lines = (text: string) =>
    database
      .query<{ place: string; state: string; n: number }, []>(`select place, state, n from (${text}) order by 1, 2`)
      .all()
      .map(({ place, state, n }) => `${place} ${state} ${n}`)
  const of = (text: (kind: string) => string) =>
    Object.fromEntries(Object.keys(kinds).map((kind) => [kind, lines(text(kind))]))
  return {
    found: of((kind) => `select place, state, count(*) as n from (${kinds[kind]}) group by 1, 2`),
    counted: of((kind) => `select place, state, count as n from actor_counts where kind = '${kind}' and count <> 0`),
  }
}
