/**
 * Checks whether the resources of the manifest and the Environment fit together, before anything is written. Source:
 * contract 10.
 */
import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import { type AgentNode, agentNode, type DefinitionNode, definitionNode } from '../../authoring/releases/graph.ts'
import { resolveGraph } from '../../authoring/releases/resolve.ts'
import { type Need, needsOf } from '../../delivery/deployments/needs.ts'
import { type Bindable, resolved } from '../../delivery/deployments/resolution.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { keptAgents, keptDefinitions } from './kept.ts'
import { type EnvironmentKind, pointer } from './manifest.ts'
import { grantsOf } from './parts/agents.ts'
import { placed } from './parts/connections.ts'
import { type Planning, sectionPath } from './step.ts'

/** An Agent or a Definition, as the Release will pin it. */
interface Contents {
  agents: { slug: string; content: AgentContent; granted: string[] }[]
  definitions: { name: string; kind: DefinitionNode['kind']; source: DefinitionSource }[]
}

/** The content of the Release: the manifest's resources, and active ones that the manifest does not name. */
function contentsOf(planning: Planning): Contents {
  const { manifest } = planning
  return {
    agents: [
      ...Object.entries(manifest.agents ?? {}).map(([slug, wanted]) => ({
        slug,
        content: wanted.content as unknown as AgentContent,
        granted: grantsOf(wanted),
      })),
      ...keptAgents(planning).map(({ row, serving }) => ({
        slug: row.slug,
        content: JSON.parse(serving.content) as AgentContent,
        granted: JSON.parse(serving.granted_operations) as string[],
      })),
    ],
    definitions: [
      ...Object.entries(manifest.definitions ?? {}).map(([name, { kind, source }]) => ({
        name,
        kind,
        source: source as unknown as DefinitionSource,
      })),
      ...keptDefinitions(planning).map(({ row, serving }) => ({
        name: row.name,
        kind: row.kind,
        source: JSON.parse(serving.source) as DefinitionSource,
      })),
    ],
  }
}

/** All references to missing resources, and all unmet needs of Agents. */
export async function resolve(planning: Planning): Promise<void> {
  const { standing, issues, parts } = planning
  const contents = contentsOf(planning)
  if (contents.agents.length === 0) {
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
  const { connections, variables } = bindablesOf(planning)
  const provided = {
    connections: keysOf(connections, agents, 'connection'),
    variables: keysOf(variables, agents, 'variable'),
  }
  const { lost, cycles } = await resolveGraph(
    { agents, definitions },
    provided,
    [],
    (id) => parts.systemAgents.find(id) !== undefined,
  )
  issues.push(...lost, ...cycles)
  if (lost.length === 0) needIssues(planning, contents, { connections, variables })
}

/** The resources to which Agents may be bound in an Environment. */
export interface Bindables {
  connections: Bindable[]
  variables: Bindable[]
}

/** The target resources of the Environment, bound to Agents by slug. */
function bindablesOf({ section, standing }: Planning): Bindables {
  const slugs = new Map([...standing.agents].map(([slug, { row }]) => [row.id, slug]))
  const slugOf = (id: string | null) => (id === null ? null : (slugs.get(id) ?? id))
  const wanted = Object.entries(section.connections ?? {}).flatMap(([name, each]) => placed(name, each))
  const named = new Set(wanted.map(({ name }) => name))
  const names = Object.keys(section.variables ?? {})
  return {
    connections: [
      ...wanted.map(({ name, agent, bindingKey }) => ({ name, agentId: agent, bindingKey })),
      ...standing.connections
        .filter(({ name, status }) => !named.has(name) && status === 'active')
        .map(({ name, agent_id, binding_key }) => ({ name, agentId: slugOf(agent_id), bindingKey: binding_key })),
    ],
    variables: [
      ...names.map((name) => {
        const found = standing.variables.get(name)
        return { name, agentId: slugOf(found?.agent_id ?? null), bindingKey: found?.binding_key ?? null }
      }),
      ...[...standing.variables.values()]
        .filter(({ name, status }) => !names.includes(name) && status === 'active')
        .map(({ name, agent_id, binding_key }) => ({ name, agentId: slugOf(agent_id), bindingKey: binding_key })),
    ],
  }
}

/** The keys that handlers may name: those of the Environment, and those that Agents declare. */
const keysOf = (items: readonly Bindable[], agents: readonly AgentNode[], kind: 'connection' | 'variable') =>
  new Set([
    ...items.flatMap(({ name, bindingKey }) => (bindingKey === null ? [name] : [name, bindingKey])),
    ...agents.flatMap(({ bindings }) => bindings.filter((each) => each.kind === kind).map((each) => each.bindingKey)),
  ])

function needIssues(planning: Planning, contents: Contents, bindables: Bindables): void {
  const needs = needsOf({
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
  planning.issues.push(...unmetIssues(needs, bindables, planning.kind))
}

/** The needs of Agents that an Environment of this kind does not meet. */
export const unmetIssues = (
  needs: readonly Need[],
  { connections, variables }: Bindables,
  kind: EnvironmentKind,
): Issue[] =>
  needs.flatMap(({ agentId, slug, kind: needed, key, declared, operations }) => {
    if (declared === 'optional' || resolved(needed === 'connection' ? connections : variables, agentId, key)) return []
    const [first] = operations
    const purpose = first === undefined ? '' : `, for ${first}`
    const what = needed === 'connection' ? 'Connection' : 'variable'
    const message = `The Agent ${slug} needs the ${what} ${key}${purpose}, and ${kind} has none.`
    return [{ path: `${sectionPath({ kind })}/${needed}s${pointer(key)}`, message }]
  })
