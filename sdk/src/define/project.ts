/** A Project: its Agents and what they need, as a manifest. */
import { TroupeError } from '../client/errors.ts'
import type { AgentDefinition } from './agent.ts'
import type { AgentManifest, DefinitionManifest, EnvironmentKind, EnvironmentManifest, Manifest } from './manifest.ts'
import type { OperationsDefinition } from './operations.ts'

/** A Project as its author writes it. */
export interface ProjectOptions<Agents extends readonly AgentDefinition[]> {
  slug: string
  name?: string
  /** Includes their delegates and the operations of their tools. */
  agents: Agents
  /** Further operations, such as those of workflows. */
  operations?: readonly OperationsDefinition[]
  /** Workflows and entities, by name. */
  definitions?: Record<string, DefinitionManifest>
  environments?: { [Kind in EnvironmentKind]?: EnvironmentManifest<Agents[number]['slug']> }
}

/** An invalid Project: two resources have the same name, or a name refers to nothing. `code` is `invalid_manifest`. */
export class ManifestError extends TroupeError {
  override readonly name = 'ManifestError'

  constructor(message: string) {
    super('invalid_manifest', message)
  }
}

/** The Agents, and in turn their delegates. Throws if two have the same slug. */
function withDelegates(agents: readonly AgentDefinition[]): Map<string, AgentDefinition> {
  const found = new Map<string, AgentDefinition>()
  const visit = (agent: AgentDefinition) => {
    const other = found.get(agent.slug)
    if (other === agent) return
    if (other) throw new ManifestError(`Two Agents have the slug ${agent.slug}.`)
    found.set(agent.slug, agent)
    agent.delegates.forEach(visit)
  }
  agents.forEach(visit)
  return found
}

function definitionsOf(
  operations: readonly OperationsDefinition[],
  others: Record<string, DefinitionManifest>,
): Record<string, DefinitionManifest> {
  const definitions = new Map<string, DefinitionManifest>(Object.entries(others))
  for (const { name, kind, description, source } of new Set(operations)) {
    if (definitions.has(name)) throw new ManifestError(`Two Definitions have the name ${name}.`)
    definitions.set(name, { kind, ...(description !== undefined && { description }), source })
  }
  return Object.fromEntries(definitions)
}

/** Throws if an Environment names an Agent that the Project does not have. */
function checkNames(
  agents: ReadonlyMap<string, AgentDefinition>,
  environments: Record<string, EnvironmentManifest>,
): void {
  for (const [kind, { connections = {}, models = {}, jobs = {} }] of Object.entries(environments)) {
    const named = [
      ...Object.entries(connections).flatMap(([name, { bind = [] }]) =>
        bind.map(({ agent }) => [`connections/${name}`, agent]),
      ),
      ...Object.keys(models).map((agent) => ['models', agent]),
      ...Object.entries(jobs).map(([name, { agent }]) => [`jobs/${name}`, agent]),
    ] as [string, string][]
    for (const [place, agent] of named) {
      if (!agents.has(agent))
        throw new ManifestError(`environments/${kind}/${place}: the Project has no Agent ${agent}.`)
    }
  }
}

/** Throws if a tool or a job names a workflow that the Project does not have. */
function checkWorkflows(
  agents: ReadonlyMap<string, AgentDefinition>,
  definitions: Record<string, DefinitionManifest>,
  environments: Record<string, EnvironmentManifest>,
): void {
  const ofTools = [...agents.values()].flatMap(({ slug, content }) =>
    (content.tools ?? []).flatMap((tool) =>
      tool.kind === 'workflow' ? [[`agents/${slug}: the tool ${tool.name}`, tool.workflow] as const] : [],
    ),
  )
  const ofJobs = Object.entries(environments).flatMap(([kind, { jobs = {} }]) =>
    Object.entries(jobs).flatMap(([name, { workflow }]) =>
      workflow === undefined ? [] : [[`environments/${kind}/jobs/${name}`, workflow] as const],
    ),
  )
  for (const [place, workflow] of [...ofTools, ...ofJobs]) {
    const kind = Object.hasOwn(definitions, workflow) ? definitions[workflow]?.kind : undefined
    if (kind !== 'workflow') throw new ManifestError(`${place}: the Project has no workflow ${workflow}.`)
  }
}

/**
 * A Project as the manifest that the server accepts: plain JSON. Throws a `ManifestError` if two resources have the same
 * name, or a name refers to nothing.
 *
 *     export default defineProject({
 *       slug: 'shop',
 *       agents: [clerk],
 *       environments: { production: { connections: { shop: { kind: 'http', settings: { baseUrl } } } } },
 *     })
 */
export function defineProject<const Agents extends readonly AgentDefinition[]>({
  slug,
  name,
  agents,
  operations = [],
  definitions = {},
  environments = {},
}: ProjectOptions<Agents>): Manifest {
  const all = withDelegates(agents)
  for (const { content, slug: from } of all.values()) {
    for (const delegate of content.delegates ?? []) {
      if ('agent' in delegate && !all.has(delegate.agent)) {
        throw new ManifestError(
          `agents/${from}: the delegate ${delegate.name} is ${delegate.agent}, which the Project does not have.`,
        )
      }
    }
  }
  checkNames(all, environments as Record<string, EnvironmentManifest>)
  const manifestOf = (agent: AgentDefinition): AgentManifest => ({
    ...(agent.name !== undefined && { name: agent.name }),
    ...(agent.description !== undefined && { description: agent.description }),
    content: agent.content,
    ...(agent.grantedOperations && { grantedOperations: agent.grantedOperations }),
  })
  const used = [...operations, ...[...all.values()].flatMap((agent) => agent.definitions)]
  const defined = definitionsOf(used, definitions)
  checkWorkflows(all, defined, environments as Record<string, EnvironmentManifest>)
  const manifest: Manifest = {
    version: 1,
    project: { slug, ...(name !== undefined && { name }) },
    ...(Object.keys(defined).length > 0 && { definitions: defined }),
    agents: Object.fromEntries([...all.values()].map((agent) => [agent.slug, manifestOf(agent)])),
    ...(Object.keys(environments).length > 0 && { environments: environments as Manifest['environments'] }),
  }
  // values that JSON cannot represent (undefined, dates) become what a file would contain
  return JSON.parse(JSON.stringify(manifest)) as Manifest
}
