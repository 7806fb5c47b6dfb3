/** The existing resources of a Project and one of its Environments by name, with which a manifest is compared. Source: contract 10. */
import { findAgentRevision, listAgents } from '../../../storage/authoring/agents.ts'
import { findDefinitionRevision, listDefinitions } from '../../../storage/authoring/definitions.ts'
import { findRelease } from '../../../storage/authoring/releases.ts'
import { listJobs } from '../../../storage/automation/agent-jobs.ts'
import { findLastApplied, listAppliedResources } from '../../../storage/automation/applies.ts'
import { type CurrentConnection, listConnections } from '../../../storage/delivery/connections.ts'
import { findDeployment } from '../../../storage/delivery/deployments.ts'
import { listOrganizationVariables } from '../../../storage/delivery/organization-variables.ts'
import { listCredentials } from '../../../storage/delivery/provider-credentials.ts'
import { listProviderSettings } from '../../../storage/delivery/provider-settings.ts'
import { listVariables } from '../../../storage/delivery/variables.ts'
import { listWebhooks } from '../../../storage/events/webhooks.ts'
import type { Store } from '../../../storage/store.ts'
import type {
  AgentJobRow,
  AgentRevisionRow,
  AgentRow,
  DefinitionRevisionRow,
  DefinitionRow,
  DeploymentRow,
  EnvironmentRow,
  ProjectRow,
  ProviderCredentialRow,
  ProviderSettingRow,
  WebhookRow,
} from '../../../storage/tables.ts'
import { listEnvironments } from '../../../storage/tenancy/environments.ts'
import { listProjects } from '../../../storage/tenancy/projects.ts'
import type { DelegateAttachment } from '../../authoring/releases/schema.ts'
import type { ShownVariable } from '../../delivery/variables/present.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { EnvironmentKind } from './manifest.ts'

/** An Agent or a Definition: its newest revision, and the active one in the Environment. */
export interface Authored<Row, Revision> {
  row: Row
  latest: Revision | null
  serving: Revision | null
}

/** The active Deployment of the Environment. */
export interface Serving {
  deployment: DeploymentRow
  agents: { agentId: string; agentRevisionId: string }[]
  definitions: { definitionId: string; definitionRevisionId: string }[]
  attachments: DelegateAttachment[]
}

export interface Standing {
  project: ProjectRow | null
  environment: EnvironmentRow | null
  definitions: Map<string, Authored<DefinitionRow, DefinitionRevisionRow>>
  agents: Map<string, Authored<AgentRow, AgentRevisionRow>>
  /** Those for all Agents. */
  variables: Map<string, ShownVariable>
  /** Those that are bound to an Agent, which no manifest names. */
  boundVariables: ShownVariable[]
  connections: CurrentConnection[]
  /** The Connections that are bound to Agents, by `bindingOf`. */
  bindings: Map<string, CurrentConnection>
  /** By the id of the Agent. */
  models: Map<string, ProviderSettingRow>
  jobs: AgentJobRow[]
  webhooks: readonly WebhookRow[]
  /** By label; a label of two credentials has both. */
  credentials: ProviderCredentialRow[]
  organizationVariables: Map<string, { id: string; version: number }>
  serving: Serving | null
  /** The resources that Applies have created in the Project. */
  made: Set<string>
  /** The result of the last Apply that ended `applied`. */
  lastApplied: { releaseId: string | null; deploymentId: string | null } | null
}

/** The state of an Environment before anything exists. */
export const unread = (): Standing => ({
  project: null,
  environment: null,
  definitions: new Map(),
  agents: new Map(),
  variables: new Map(),
  boundVariables: [],
  connections: [],
  bindings: new Map(),
  models: new Map(),
  jobs: [],
  webhooks: [],
  credentials: [],
  organizationVariables: new Map(),
  serving: null,
  made: new Set(),
  lastApplied: null,
})

/** The binding of one Connection to an Agent, which no other has. */
export const bindingOf = (agentId: string, bindingKey: string | null): string => `${agentId} ${bindingKey}`

/** The slugs of the Project's Agents by id. */
export const slugsOf = ({ agents }: Pick<Standing, 'agents'>): Map<string, string> =>
  new Map([...agents].map(([slug, { row }]) => [row.id, slug]))

/** The rows of a page. */
export const pageMax = 100

/** All pages of a list, each of `pageMax` rows before a position. */
export async function allPages<Row, Position>(
  first: Position,
  read: (before: Position) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let before = first; ; ) {
    const page = await read(before)
    rows.push(...page)
    if (page.length < pageMax) return rows
    before = positionOf(page.at(-1)!)
    await nextTurn()
  }
}

/** All pages of a list by id. */
const all = <Row>(read: (before: string) => Promise<Row[]>, idOf: (row: Row) => string): Promise<Row[]> =>
  allPages('~', read, idOf)

/** The Project with this slug, and its Environment of the kind. */
export async function findPlace(store: Store, organizationId: string, slug: string, kind: EnvironmentKind) {
  const project = await store.first<ProjectRow>(
    listProjects(store, { organizationId, named: slug, before: '~', limit: 1 }),
  )
  if (!project) return { project: null, environment: null }
  const environments = await store.all<EnvironmentRow>(
    listEnvironments(store, { organizationId, projectId: project.id, after: '', limit: pageMax }),
  )
  return { project, environment: environments.find((each) => each.kind === kind) ?? null }
}

/** The id of a Project's Environment of the kind; null if there is none. */
export async function findPlaceOf(store: Store, organizationId: string, projectId: string, kind: EnvironmentKind) {
  const all = await store.all<EnvironmentRow>(
    listEnvironments(store, { organizationId, projectId, after: '', limit: pageMax }),
  )
  return all.find((each) => each.kind === kind)?.id ?? null
}

/** The active Deployment of the Environment; null before its first Activation. */
export async function readServing(store: Store, environment: EnvironmentRow): Promise<Serving | null> {
  const { organization_id: organizationId, project_id: projectId, id: environmentId } = environment
  const { active_deployment_id: id } = environment
  if (id === null) return null
  const deployment = await store.first<DeploymentRow>(findDeployment(store, { organizationId, environmentId, id }))
  return deployment ? pinsOf(store, deployment, projectId) : null
}

/** The pins of a Deployment's Release. */
async function pinsOf(store: Store, deployment: DeploymentRow, projectId: string): Promise<Serving | null> {
  const { organization_id: organizationId, release_id: releaseId } = deployment
  const release = await store.first(findRelease(store, { organizationId, projectId, id: releaseId }))
  if (!release) return null
  return {
    deployment,
    agents: JSON.parse(release.agents) as Serving['agents'],
    definitions: JSON.parse(release.definitions) as Serving['definitions'],
    attachments: JSON.parse(release.delegate_attachments) as DelegateAttachment[],
  }
}

/** The Agents and Definitions of the Project whose newest revisions are read; those that serve are read anyway. */
export interface Selection {
  agents: Pick<ReadonlySet<string>, 'has'>
  definitions: Pick<ReadonlySet<string>, 'has'>
  /** Called with each content that is read, before the next one. */
  take?(text: string): void
}

/** `select` gets the active Deployment, if there is one. Throws as `take` does. */
export async function readStanding(
  store: Store,
  organizationId: string,
  slug: string,
  kind: EnvironmentKind,
  select: (serving: Serving | null) => Selection,
): Promise<Standing> {
  const { project, environment } = await findPlace(store, organizationId, slug, kind)
  const credentials = await store.all<ProviderCredentialRow>(listCredentials(store, { organizationId, named: null }))
  const ofOrganization = await all(
    (before) => store.all(listOrganizationVariables(store, { organizationId, named: null, before, limit: pageMax })),
    ({ id }) => id,
  )
  const standing: Standing = {
    ...unread(),
    project,
    environment,
    credentials,
    organizationVariables: new Map(ofOrganization.map(({ id, name, version }) => [name, { id, version }])),
  }
  if (!project || !environment) return standing
  standing.serving = await readServing(store, environment)
  await readAuthored(store, standing, project, select(standing.serving))
  await readConfiguration(store, standing, environment)
  const applied = await store.first(findLastApplied(store, { environmentId: environment.id }))
  if (applied) standing.lastApplied = { releaseId: applied.release_id, deploymentId: applied.deployment_id }
  for (let after = ''; ; ) {
    const page = await store.all(listAppliedResources(store, { projectId: project.id, after, limit: pageMax }))
    for (const { resource_id: id } of page) standing.made.add(id)
    if (page.length < pageMax) return standing
    after = page.at(-1)!.resource_id
  }
}

async function readAuthored(
  store: Store,
  standing: Standing,
  project: ProjectRow,
  selection: Selection,
): Promise<void> {
  const place = { organizationId: project.organization_id, projectId: project.id, named: null, limit: pageMax }
  const pinned = {
    agents: new Map(standing.serving?.agents.map((pin) => [pin.agentId, pin.agentRevisionId])),
    definitions: new Map(standing.serving?.definitions.map((pin) => [pin.definitionId, pin.definitionRevisionId])),
  }
  const { organizationId } = place
  const agents = await all<AgentRow>(
    (before) => store.all(listAgents(store, { ...place, before })),
    ({ id }) => id,
  )
  for (const row of agents) {
    const find = async (id: string | null | undefined): Promise<AgentRevisionRow | null> => {
      if (!id) return null
      return (
        (await store.first<AgentRevisionRow>(findAgentRevision(store, { organizationId, agentId: row.id, id }))) ?? null
      )
    }
    const serving = await find(pinned.agents.get(row.id))
    const latest = selection.agents.has(row.slug) ? await find(row.latest_revision_id) : null
    for (const each of [serving, latest]) if (each) selection.take?.(each.content)
    standing.agents.set(row.slug, { row, latest, serving })
    if (serving ?? latest) await nextTurn()
  }
  const definitions = await all<DefinitionRow>(
    (before) => store.all(listDefinitions(store, { ...place, before })),
    ({ id }) => id,
  )
  for (const row of definitions) {
    const find = async (id: string | null | undefined): Promise<DefinitionRevisionRow | null> => {
      if (!id) return null
      const key = { organizationId, definitionId: row.id, id }
      return (await store.first<DefinitionRevisionRow>(findDefinitionRevision(store, key))) ?? null
    }
    const serving = await find(pinned.definitions.get(row.id))
    const latest = selection.definitions.has(row.name) ? await find(row.latest_revision_id) : null
    for (const each of [serving, latest]) if (each) selection.take?.(each.source)
    standing.definitions.set(row.name, { row, latest, serving })
    if (serving ?? latest) await nextTurn()
  }
}

/** Variables, Connections, models, jobs and webhooks of the Environment. */
export async function readConfiguration(store: Store, standing: Standing, environment: EnvironmentRow): Promise<void> {
  const { organization_id: organizationId, project_id: projectId, id: environmentId } = environment
  const place = { organizationId, projectId, environmentId, limit: pageMax }
  const named = { agentId: null, named: null }
  const variables = await all<ShownVariable>(
    (before) => store.all(listVariables(store, { ...place, ...named, before })),
    ({ id }) => id,
  )
  standing.variables = new Map(variables.flatMap((each) => (each.agent_id === null ? [[each.name, each]] : [])))
  standing.boundVariables = variables.filter(({ agent_id }) => agent_id !== null)
  const connections = await all<CurrentConnection>(
    (beforeId) => store.all(listConnections(store, { ...place, ...named, beforeId })),
    ({ id }) => id,
  )
  standing.connections = connections
  for (const each of connections) {
    if (each.agent_id !== null) standing.bindings.set(bindingOf(each.agent_id, each.binding_key), each)
  }
  for (const { row } of standing.agents.values()) {
    const at = { ...place, agentId: row.id, before: Number.MAX_SAFE_INTEGER, limit: 1 }
    const setting = await store.first<ProviderSettingRow>(listProviderSettings(store, at))
    if (setting) standing.models.set(row.id, setting)
  }
  standing.jobs = await all<AgentJobRow>(
    (before) => store.all(listJobs(store, { ...place, named: null, before })),
    ({ id }) => id,
  )
  standing.webhooks = await all<WebhookRow>(
    (before) => store.all(listWebhooks(store, { ...place, before })),
    ({ id }) => id,
  )
}
