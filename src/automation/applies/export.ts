/** Exports the active Deployment of an Environment as a manifest; applying it changes nothing. Source: contract 10. */
import { findProject } from '../../../storage/tenancy/projects.ts'
import { orNotFound, tooLarge } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { type EnvironmentKind, manifestBytesMax } from './manifest.ts'
import { grantsOf } from './parts/agents.ts'
import { labelOf } from './parts/credentials.ts'
import { delegationOf, namingDelegates } from './parts/delegates.ts'
import { type ShownConfiguration, type ShownConnection, shownConfiguration } from './parts/deployed.ts'
import { workOf } from './parts/jobs.ts'
import type { ApplyParts } from './services.ts'
import { type Authored, readStanding, type Selection, type Standing, slugsOf } from './standing.ts'

type Entries<Each> = Record<string, Each>

/**
 * Throws `notFound`, and `too_large` (422) for more contents than an Apply takes. Before the first Activation the manifest
 * has the newest revisions of everything.
 */
export async function exportManifest(
  { store }: Pick<ApplyParts, 'store'>,
  { organizationId }: Caller,
  projectId: string,
  kind: EnvironmentKind,
) {
  const { slug, name } = orNotFound(await store.first(findProject(store, { organizationId, id: projectId })))
  const standing = await readStanding(store, organizationId, slug, kind, (serving) => {
    const newest = { has: () => serving === null }
    return { agents: newest, definitions: newest, take: upTo(manifestBytesMax) }
  })
  const delegation = delegationOf(standing)
  const isServing = standing.serving !== null
  const pick = <Revision>({ row, serving, latest }: Authored<{ status: string }, Revision>) =>
    isServing ? serving : row.status === 'active' ? latest : null
  const definitions = entries(standing.definitions, (each) => {
    const revision = pick(each)
    const { kind, description } = each.row
    return (
      revision && {
        kind,
        ...(description !== null && { description }),
        source: JSON.parse(revision.source) as Record<string, unknown>,
      }
    )
  })
  const agents = entries(standing.agents, (each) => {
    const revision = pick(each)
    if (!revision) return null
    const { id, name, description } = each.row
    const written = JSON.parse(revision.content) as Record<string, unknown>
    const content = namingDelegates(delegation, written, delegation.serving.get(id))
    const granted = JSON.parse(revision.granted_operations) as string[]
    const isDefault = JSON.stringify(grantsOf({ content }, definitions).sort()) === JSON.stringify(granted.toSorted())
    return {
      name,
      ...(description !== null && { description }),
      content,
      ...(!isDefault && { grantedOperations: granted }),
    }
  })
  // what is for an Agent that the manifest does not have could not be applied to another Project
  const slugs = new Map([...slugsOf(standing)].filter(([, each]) => Object.hasOwn(agents, each)))
  return {
    version: 1,
    project: { slug, name },
    definitions,
    agents,
    environments: { [kind]: sectionOf(standing, slugs, await shownConfiguration(store, standing)) },
  }
}

/** Throws `too_large` (422) once the contents have more characters. */
function upTo(charactersMax: number): Selection['take'] {
  let characters = 0
  return ({ length }) => {
    characters += length
    if (characters > charactersMax) throw manifestTooLarge
  }
}

const manifestTooLarge = tooLarge(
  `The manifest would have more than ${manifestBytesMax / 1024 ** 2} MiB, which no Apply takes; ` +
    'read the revisions of its Agents and Definitions one by one.',
  '/query/environment',
)

/** Sorted by name; null values are omitted. */
function entries<From, To extends object>(
  all: Map<string, From>,
  make: (each: From, name: string) => To | null,
): Entries<To> {
  const names = [...all.keys()].sort()
  // an assignment would lose `__proto__`, which is a legal name
  return Object.fromEntries(
    names.flatMap((name) => {
      const each = make(all.get(name) as From, name)
      return each ? [[name, each]] : []
    }),
  )
}

/** `slugs`: those of the manifest's Agents, by id. */
function sectionOf(
  standing: Standing,
  slugs: ReadonlyMap<string, string>,
  { variables, connections, models: settings }: ShownConfiguration,
) {
  const names = new Map([...standing.organizationVariables].map(([name, { id }]) => [id, name]))
  const models = new Map(
    [...settings].flatMap(([agentId, row]) => {
      const slug = slugs.get(agentId)
      return slug === undefined ? [] : [[slug, row] as const]
    }),
  )
  return {
    variables: entries(variables, ({ source_variable_id: source, source_version: version }) => {
      const fromOrganization = source === null ? undefined : names.get(source)
      return fromOrganization === undefined ? { secret: true } : { fromOrganization, version }
    }),
    connections: connectionsOf(
      connections.filter(({ agent_id: id }) => id === null || slugs.has(id)),
      standing,
      slugs,
    ),
    models: entries(models, ({ provider, model, settings, provider_credential_id: credential }) => ({
      ...(provider !== null && { provider }),
      ...(model !== null && { model }),
      ...(settings !== '{}' && { settings: JSON.parse(settings) as unknown }),
      ...(credential !== null && { credential: labelOf({ standing }, credential) }),
    })),
    jobs: entries(new Map(standing.jobs.map((job) => [job.name, job])), (job) => {
      const agent = slugs.get(job.agent_id)
      if (agent === undefined) return null
      const { cron, timezone, overlap } = job
      return { agent, schedule: { cron, timezone }, ...workOf(job), enabled: job.enabled === 1, overlap }
    }),
    webhooks: entries(new Map(standing.webhooks.map((each) => [each.endpoint_url, each])), (each) => ({
      eventTypes: JSON.parse(each.event_types) as string[],
      ...(each.enabled === 0 && { enabled: false }),
    })),
  }
}

/**
 * One for each name; Connections that an Apply created for further bindings of one Connection are merged into that one.
 */
function connectionsOf(
  connections: readonly ShownConnection[],
  { credentials }: Standing,
  slugs: ReadonlyMap<string, string>,
) {
  const active = new Map(connections.map((each) => [each.name, each]))
  const bindOf = ({ agent_id, binding_key }: ShownConnection) =>
    agent_id === null ? undefined : { agent: slugs.get(agent_id) as string, bindingKey: binding_key as string }
  const further = new Map<string, ShownConnection[]>()
  for (const each of active.values()) {
    const bind = bindOf(each)
    const suffix = bind && ` (${bind.agent}/${bind.bindingKey})`
    const main = suffix && each.name.endsWith(suffix) ? each.name.slice(0, -suffix.length) : undefined
    if (main === undefined || !isAlike(active.get(main), each)) continue
    further.set(main, [...(further.get(main) ?? []), each])
    active.delete(each.name)
  }
  return entries(active, (each, name) => {
    const bind = [each, ...(further.get(name) ?? []).reverse()].flatMap((one) => bindOf(one) ?? [])
    const credential = credentials.find(({ id }) => id === each.provider_credential_id)?.label
    return {
      kind: each.kind,
      settings: JSON.parse(each.settings) as unknown,
      ...(credential !== undefined && { credential }),
      ...(bind.length > 0 && { bind }),
    }
  })
}

const isAlike = (one: ShownConnection | undefined, other: ShownConnection): boolean =>
  one !== undefined &&
  one.agent_id !== null &&
  one.kind === other.kind &&
  one.settings === other.settings &&
  one.provider_credential_id === other.provider_credential_id
