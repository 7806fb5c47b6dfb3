/**
 * Checks whether the resources of the manifest and the Environment fit together, before anything is written. Source:
 * contract 10.
 */
import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import { type AgentNode, agentNode, type DefinitionNode, definitionNode } from '../../authoring/releases/graph.ts'
import { type Graph, resolveGraph } from '../../authoring/releases/resolve.ts'
import { destinationOf, lacksSecret } from '../../delivery/connections/destination.ts'
import { type Need, needsOf } from '../../delivery/deployments/needs.ts'
import { type Bindable, resolved } from '../../delivery/deployments/resolution.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { pointer } from '../../platform/json.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { isPruned, keptAgents, keptAttachments, keptDefinitions } from './kept.ts'
import type { EnvironmentKind } from './manifest.ts'
import { grantsOf } from './parts/agents.ts'
import { placedIn } from './parts/connections.ts'
import { type Unsound, unsoundParts } from './parts/unsound.ts'
import { type Standing, slugsOf } from './standing.ts'
import { type Planning, sectionPath } from './step.ts'

/** An Agent or a Definition, as the Release will pin it. */
interface Contents {
  agents: { slug: string; content: AgentContent; granted: string[] }[]
  definitions: { name: string; kind: DefinitionNode['kind']; source: DefinitionSource }[]
}

/** The content of the Release: the manifest's valid resources, and active ones that the manifest does not name. */
function contentsOf(planning: Planning): Contents {
  const { manifest, sound } = planning
  return {
    agents: [
      ...Object.entries(manifest.agents ?? {})
        .filter(([slug]) => sound.agents.has(slug))
        .map(([slug, wanted]) => ({
          slug,
          content: wanted.content as unknown as AgentContent,
          granted: grantsOf(wanted, manifest.definitions),
        })),
      ...keptAgents(planning).map(({ row, serving }) => ({
        slug: row.slug,
        content: JSON.parse(serving.content) as AgentContent,
        granted: JSON.parse(serving.granted_operations) as string[],
      })),
    ],
    definitions: [
      ...Object.entries(manifest.definitions ?? {})
        .filter(([name]) => sound.definitions.has(name))
        .map(([name, { kind, source }]) => ({ name, kind, source: source as unknown as DefinitionSource })),
      ...keptDefinitions(planning).map(({ row, serving }) => ({
        name: row.name,
        kind: row.kind,
        source: JSON.parse(serving.source) as DefinitionSource,
      })),
    ],
  }
}

/** All references to missing resources, and all unmet needs of Agents. Invalid parts are not reported again. */
export async function resolve(planning: Planning): Promise<void> {
  const { standing, issues, parts } = planning
  const contents = contentsOf(planning)
  const unsound = unsoundParts(planning)
  if (contents.agents.length === 0) {
    if (unsound.agents.size > 0) return
    issues.push({ path: '/agents', message: 'There is nothing to release: name at least one Agent.' })
    return
  }
  // existing Agents of the Project by id, new ones by slug
  const idOf = (slug: string) => standing.agents.get(slug)?.row.id ?? slug
  const agents: AgentNode[] = contents.agents.map(({ slug, content, granted }) => {
    const row = { slug, content: JSON.stringify(content), granted_operations: JSON.stringify(granted) }
    return agentNode(idOf(slug), row, `/agents${pointer(slug)}`)
  })
  await nextTurn()
  const definitions: DefinitionNode[] = contents.definitions.map(({ name, kind, source }) =>
    definitionNode(name, { name, kind, source: JSON.stringify(source) }, `/definitions${pointer(name)}`),
  )
  await nextTurn()
  const { connections, variables } = bindablesOf(planning, unsound)
  const provided = {
    connections: keysOf(connections, agents, unsound, 'connection'),
    variables: keysOf(variables, agents, unsound, 'variable'),
  }
  const { attachments, lost, cycles } = await resolveGraph(
    { agents, definitions },
    provided,
    keptAttachments(planning),
    (id) => parts.systemAgents.find(id) !== undefined,
  )
  planning.attachments = attachments
  const reported = referencesTo(unsound, { agents, definitions }, slugsOf(standing))
  issues.push(...lost.filter(({ path }) => !reported.has(path)), ...cycles)
  const needs = needsIn(contents).filter(
    // names that no Agent declares and no resource provides are among the lost references
    ({ kind, key, declared }) => declared !== 'undeclared' || provided[`${kind}s`].has(key),
  )
  issues.push(...unmetIssues(needs, { connections, variables }, planning.kind))
}

/** The places of references to invalid parts. */
function referencesTo(unsound: Unsound, { agents, definitions }: Graph, slugs: Map<string, string>): Set<string> {
  const operations = [...agents, ...definitions].flatMap((each) => each.operations)
  const delegates = agents.flatMap((each) => each.delegates)
  const isUnsound = ({ name }: { name: string }) => unsound.definitions.has(name)
  return new Set(
    [
      operations.filter(({ name }) => unsound.definitions.has(name.split('.')[0] as string)),
      [...agents, ...definitions].flatMap(({ workflows }) => workflows).filter(isUnsound),
      definitions.flatMap(({ entities }) => entities).filter(isUnsound),
      definitions.flatMap((each) => each.agents).filter(({ name }) => unsound.agents.has(name)),
      delegates.filter(({ to }) => unsound.agents.has('slug' in to ? to.slug : (slugs.get(to.agentId) ?? ''))),
    ].flatMap((references) => references.map(({ path }) => path)),
  )
}

/** A Connection or a variable; with what is known of a Connection, and with its place in the manifest. */
type Provider = Bindable & { kind?: string; path?: string; lacksSecret?: boolean }

/** The resources to which Agents may be bound in an Environment. */
interface Bindables {
  connections: Provider[]
  variables: Provider[]
}

/** What the Environment provides now: its active Connections and variables, bound to Agents by `named`. */
export function standingBindables(
  { connections, variables, boundVariables }: Standing,
  named: (agentId: string) => string,
): Bindables {
  const bindable = <Row extends { name: string; agent_id: string | null; binding_key: string | null }>(row: Row) => ({
    name: row.name,
    agentId: row.agent_id === null ? null : named(row.agent_id),
    bindingKey: row.binding_key,
  })
  const isActive = ({ status }: { status: string }) => status === 'active'
  return {
    connections: connections
      .filter(isActive)
      .map((row) => ({ ...bindable(row), kind: row.kind, lacksSecret: lacksSecret(destinationOf(row)) })),
    variables: [...variables.values(), ...boundVariables].filter(isActive).map(bindable),
  }
}

/** The target resources of the Environment, bound to Agents by slug. */
function bindablesOf(planning: Planning, unsound: Unsound): Bindables {
  const { section, standing } = planning
  const slugs = slugsOf(standing)
  const wanted = placedIn(planning)
  const named = new Set(wanted.map(({ name }) => name))
  const variables = Object.entries(section.variables ?? {})
  const kept = <Row extends { id: string }>(rows: readonly Row[]) => rows.filter(({ id }) => !isPruned(planning, id))
  const remaining = standingBindables(
    {
      ...standing,
      connections: kept(standing.connections.filter(({ name }) => !named.has(name))),
      variables: new Map(
        kept([...standing.variables.values()])
          .filter(({ name }) => !Object.hasOwn(section.variables ?? {}, name))
          .map((each) => [each.name, each]),
      ),
    },
    (id) => slugs.get(id) ?? id,
  )
  return {
    connections: [
      ...wanted.map(({ agent, ...each }) => ({ ...each, agentId: agent })),
      ...remaining.connections,
      ...unsound.connections,
    ],
    variables: [
      ...[
        ...unsound.variables,
        // a secret may be bound to Agents only; a missing one is reported already
        ...variables.flatMap(([name, { secret }]) =>
          secret && !standing.variables.has(name) && standing.boundVariables.some((each) => each.name === name)
            ? []
            : [name],
        ),
      ].map((name) => ({ name, agentId: null, bindingKey: null })),
      ...remaining.variables,
    ],
  }
}

/** The keys that handlers may name: those of the Environment, and those that Agents declare. */
const keysOf = (
  items: readonly Bindable[],
  agents: readonly AgentNode[],
  unsound: Unsound,
  kind: 'connection' | 'variable',
) =>
  new Set([
    ...items.flatMap(({ name, bindingKey }) => (bindingKey === null ? [name] : [name, bindingKey])),
    ...agents.flatMap(({ bindings }) => bindings.filter((each) => each.kind === kind).map((each) => each.bindingKey)),
    ...unsound.declared[kind],
  ])

const needsIn = (contents: Contents): Need[] =>
  needsOf({
    agents: contents.agents.map(({ slug, content, granted }) => ({
      agentId: slug,
      agentRevisionId: '',
      found: { slug, name: slug, content, grantedOperations: granted },
      status: 'active',
      delegates: {},
    })),
    definitions: contents.definitions.map(({ name, source }) => ({
      definitionId: name,
      definitionRevisionId: '',
      found: { name, source },
      status: 'active',
    })),
  })

/** The needs of Agents that an Environment of this kind does not meet. */
export const unmetIssues = (
  needs: readonly Need[],
  { connections, variables }: Bindables,
  kind: EnvironmentKind,
): Issue[] =>
  needs.flatMap(({ agentId, slug, kind: needed, key, declared, connectionKind, operations }) => {
    const at = `${sectionPath({ kind })}/${needed}s`
    const met = resolved(needed === 'connection' ? connections : variables, agentId, key)
    if (!met && declared === 'optional') return []
    if (!met) {
      const [first] = operations
      const purpose = first === undefined ? '' : `, for ${first}`
      const what = needed === 'connection' ? 'Connection' : 'variable'
      const message = `The Agent ${slug} needs the ${what} ${key}${purpose}, and ${kind} has none.`
      return [{ path: `${at}${pointer(key)}`, message }]
    }
    const path = met.path ?? `${at}${pointer(met.name)}`
    if (connectionKind !== undefined && met.kind !== undefined && met.kind !== connectionKind) {
      const message = `The Agent ${slug} needs a Connection of kind ${connectionKind} as ${key}, and ${met.name} is ${met.kind}.`
      return [{ path: `${path}/kind`, message }]
    }
    if (!met.lacksSecret || declared === 'optional') return []
    const message = `The Agent ${slug} needs the Connection ${met.name}, whose settings have auth, and it has no credential: name one, or connect an account by OAuth in ${kind} and give that Connection this name.`
    return [{ path: `${path}/credential`, message }]
  })
