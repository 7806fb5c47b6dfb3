/** Finds resources by id alone: each by its primary key, within its organization. */
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { memberOf } from '../by-engine.ts'
import type { IdPrefix } from '../ids.ts'
import { untyped } from '../rows.ts'
import { unmarked } from '../runtime/marked.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'

interface Whereabouts {
  project_id: string | null
  environment_id: string | null
  /** The Agent of the resource, if API keys of other Agents cannot see it. */
  agent_id: string | null
  /** The parent of its page: the Agent of a revision, the webhook of a delivery, the type of an entity. */
  parent: string | null
}

interface Sought {
  id: string
  organizationId: string
}

type AnySelect = SelectQueryBuilder<Record<string, Record<string, unknown>>, never, object>

interface At {
  table: string
  /** The table to join that holds the place, and the column with the id of its row. */
  in?: [table: string, column: string]
  /** A further table to join for the place, and the qualified column with the id of its row. */
  also?: [table: string, column: string]
  /** A column of the table or of a joined one; omitted: null. */
  project?: string
  environment?: string
  agent?: string | RawBuilder<string | null>
  parent?: string
  /** The column with the organization; omitted: the table's own. */
  organization?: string
  /** The table of the resource that is deleted for everybody if its status is `deleting`. */
  endsHidden?: string
}

const column = (of: At['agent']) =>
  of === undefined ? sql<string | null>`null` : typeof of === 'string' ? sql.ref<string>(of) : of

/** A resource in an Environment is in the Environment's Project. */
const inEnvironment = (table: string, more: Partial<At> = {}): At => ({
  table,
  in: ['environments', 'environment_id'],
  project: 'environments.project_id',
  environment: `${table}.environment_id`,
  ...more,
})
const withPlace = (table: string, more: Partial<At> = {}): At => ({
  table,
  project: `${table}.project_id`,
  environment: `${table}.environment_id`,
  ...more,
})
const inProject = (table: string, more: Partial<At> = {}): At => ({ table, project: `${table}.project_id`, ...more })

/** A part of a Connection is where the Connection is. */
const ofConnection = (table: string): At => ({
  table,
  in: ['connections', 'connection_id'],
  also: ['environments', 'connections.environment_id'],
  endsHidden: 'connections',
  project: 'environments.project_id',
  environment: 'environments.id',
  agent: 'connections.agent_id',
  parent: 'connections.id',
})

const find = (at: At) =>
  query((db, { id, organizationId }: Sought) => {
    const { table, in: place, also, endsHidden } = at
    const from = untyped(db).selectFrom(table) as unknown as AnySelect
    const within = place ? from.innerJoin(place[0], `${place[0]}.id`, `${table}.${place[1]}`) : from
    const joined = also ? (within as AnySelect).innerJoin(also[0], `${also[0]}.id`, also[1]) : within
    const shown: Record<keyof Whereabouts, Expression<string | null>> = {
      project_id: column(at.project),
      environment_id: column(at.environment),
      agent_id: column(at.agent),
      parent: column(at.parent),
    }
    return (joined as AnySelect)
      .select(() => Object.entries(shown).map(([name, value]) => (value as ReturnType<typeof column>).as(name)))
      .where(`${table}.id` as never, '=', id as never)
      .where((at.organization ?? `${table}.organization_id`) as never, '=', organizationId as never)
      .$if(endsHidden !== undefined, (all) => all.where(unmarked(endsHidden as string)))
      .$castTo<Whereabouts>()
  })

/** By id prefix; ids with one prefix may be in several tables. */
const finders = {
  prj: [find({ table: 'projects', project: 'projects.id' })],
  env: [find(inProject('environments', { environment: 'environments.id' }))],
  agt: [find(inProject('agents', { agent: 'agents.id' }))],
  agr: [
    find({
      table: 'agent_revisions',
      in: ['agents', 'agent_id'],
      project: 'agents.project_id',
      agent: 'agents.id',
      parent: 'agents.id',
    }),
  ],
  def: [find(inProject('definitions', { endsHidden: 'definitions' }))],
  dfr: [
    find({
      table: 'definition_revisions',
      in: ['definitions', 'definition_id'],
      project: 'definitions.project_id',
      parent: 'definitions.id',
      endsHidden: 'definitions',
    }),
  ],
  rel: [find(inProject('releases'))],
  cfr: [find(inEnvironment('configuration_revisions'))],
  dep: [find(withPlace('deployments'))],
  act: [find(inEnvironment('activations', { parent: 'activations.deployment_id' }))],
  apl: [find(withPlace('applies'))],
  var: [
    find(inEnvironment('variables', { agent: 'variables.agent_id', endsHidden: 'variables' })),
    find({ table: 'organization_variables', endsHidden: 'organization_variables' }),
  ],
  con: [find(inEnvironment('connections', { agent: 'connections.agent_id', endsHidden: 'connections' }))],
  cnv: [find(ofConnection('connection_versions'))],
  ogr: [find(ofConnection('oauth_grants'))],
  crd: [find({ table: 'provider_credentials' })],
  int: [find({ table: 'integrations' })],
  evt: [
    find(
      inEnvironment('environment_events', {
        organization: 'environments.organization_id',
        agent: memberOf('environment_events.body', 'data', 'agentId'),
      }),
    ),
  ],
  alr: [find(withPlace('alert_rules'))],
  ali: [
    find({
      table: 'alert_incidents',
      in: ['alert_rules', 'alert_rule_id'],
      organization: 'alert_rules.organization_id',
      project: 'alert_rules.project_id',
      environment: 'alert_rules.environment_id',
      parent: 'alert_rules.id',
    }),
  ],
  whk: [find(withPlace('webhooks'))],
  whr: [find(withPlace('webhook_recoveries', { parent: 'webhook_recoveries.webhook_id' }))],
  dlv: [find(withPlace('deliveries', { parent: 'deliveries.webhook_id' }))],
  run: [find(withPlace('runs', { agent: 'runs.agent_id' }))],
  wfr: [find(withPlace('workflow_runs', { agent: 'workflow_runs.agent_id' }))],
  opi: [find(withPlace('operation_invocations', { agent: 'operation_invocations.agent_id' }))],
  apr: [
    find(
      inEnvironment('operation_approvals', {
        agent: 'operation_approvals.agent_id',
        parent: 'operation_approvals.invocation_id',
      }),
    ),
  ],
  job: [find(withPlace('agent_jobs', { agent: 'agent_jobs.agent_id' }))],
  ent: [find(withPlace('entities', { parent: 'entities.type' }))],
  key: [find({ table: 'api_keys' })],
  ugr: [find({ table: 'user_groups' })],
  grt: [find(inProject('access_grants'))],
} satisfies Partial<Record<IdPrefix, ReturnType<typeof find>[]>>

/** The id prefixes of resources that can be found. */
export type FoundPrefix = keyof typeof finders
export const foundPrefixes = Object.keys(finders) as FoundPrefix[]

/** The place of a resource; undefined if it is not in the organization. */
export async function findWhereabouts(
  store: Store,
  prefix: FoundPrefix,
  sought: Sought,
): Promise<Whereabouts | undefined> {
  for (const statement of finders[prefix]) {
    const found = await store.first(statement(store, sought))
    if (found) return found
  }
  return undefined
}
