/** The pins of a Release as a graph of references. */
import type { PinnedAgentRow, PinnedDefinitionRow } from '../../../storage/authoring/releases.ts'
import type { AgentContent } from '../agents/content.ts'
import type { DefinitionSource } from '../definitions/source.ts'

/** A name with its place in the request and in the pinned content. */
export interface Reference {
  path: string
  name: string
}

export interface AgentNode {
  agentId: string
  slug: string
  /** `<definition>.<operation>`, of tools and of grants. */
  operations: Reference[]
  /** Names of workflow Definitions, of tools. */
  workflows: Reference[]
  /** Its grants, permissions included. */
  granted: ReadonlySet<string>
  /** Operations of tools that are not granted to the revision. */
  ungranted: Reference[]
  /** Its declared bindings. */
  bindings: readonly { kind: 'connection' | 'variable'; bindingKey: string }[]
  /** Delegates within the server: name, and the Agent that the content means, by id or by slug. */
  delegates: DelegateNode[]
}

interface DelegateNode {
  path: string
  name: string
  to: { agentId: string } | { slug: string }
}

export interface DefinitionNode {
  path: string
  source: DefinitionSource
  definitionId: string
  /** As the graph was resolved with it. */
  name: string
  kind: PinnedDefinitionRow['kind']
  /** Its operations, for a Definition of that kind. */
  offers: ReadonlySet<string>
  /** `<definition>.<operation>`, of steps. */
  operations: Reference[]
  /** The same with what calls the operation, in words. */
  stepOperations: { name: string; step: string }[]
  /** Names of workflow Definitions, of steps. */
  workflows: Reference[]
  /** Slugs, of handlers. */
  agents: Reference[]
  /** Names of entity Definitions, of handlers. */
  entities: Reference[]
}

/** Permissions have a colon and no dot. */
const isOperation = (granted: string) => granted.includes('.') && !granted.includes(':')

/** `path` is that of the pin in the request. */
export function agentNode(
  agentId: string,
  { slug, content, granted_operations }: PinnedAgentRow,
  path: string,
): AgentNode {
  const { tools = [], delegates = [], bindings = [] } = JSON.parse(content) as AgentContent
  const granted = JSON.parse(granted_operations) as string[]
  const ofTools = tools.flatMap((tool, index) =>
    tool.kind === 'operation' ? [{ path: `${path}/content/tools/${index}/operation`, name: tool.operation }] : [],
  )
  return {
    agentId,
    slug,
    workflows: tools.flatMap((tool, index) =>
      tool.kind === 'workflow' ? [{ path: `${path}/content/tools/${index}/workflow`, name: tool.workflow }] : [],
    ),
    granted: new Set(granted),
    ungranted: ofTools.filter(({ name }) => !granted.includes(name)),
    bindings,
    operations: [
      ...ofTools,
      ...granted.flatMap((name, index) =>
        isOperation(name) ? [{ path: `${path}/grantedOperations/${index}`, name }] : [],
      ),
    ],
    delegates: delegates.flatMap((delegate, index): DelegateNode[] => {
      const at = `${path}/content/delegates/${index}`
      const { name } = delegate
      if ('agentId' in delegate) return [{ path: `${at}/agentId`, name, to: { agentId: delegate.agentId } }]
      return 'agent' in delegate ? [{ path: `${at}/agent`, name, to: { slug: delegate.agent } }] : []
    }),
  }
}

export function definitionNode(definitionId: string, row: PinnedDefinitionRow, path: string): DefinitionNode {
  const source = JSON.parse(row.source) as DefinitionSource
  const node: DefinitionNode = {
    path: `${path}/source`,
    source,
    definitionId,
    name: row.name,
    kind: row.kind,
    offers: new Set(),
    operations: [],
    stepOperations: [],
    workflows: [],
    agents: [],
    entities: [],
  }
  if ('steps' in source) {
    node.operations = source.steps.flatMap(({ operation, compensate }, index) => {
      const at = `${path}/source/steps/${index}`
      return [
        ...(operation === undefined ? [] : [{ path: `${at}/operation`, name: operation }]),
        ...(compensate ? [{ path: `${at}/compensate/operation`, name: compensate.operation }] : []),
      ]
    })
    node.stepOperations = source.steps.flatMap(({ id, operation, compensate }) => [
      ...(operation === undefined ? [] : [{ name: operation, step: `the step ${id}` }]),
      ...(compensate ? [{ name: compensate.operation, step: `the compensation of the step ${id}` }] : []),
    ])
    node.workflows = source.steps.flatMap(({ workflow }, index) =>
      workflow === undefined ? [] : [{ path: `${path}/source/steps/${index}/workflow`, name: workflow }],
    )
  } else if ('operations' in source) {
    node.offers = new Set(source.operations.map(({ name }) => name))
    for (const [index, { handler }] of source.operations.entries()) {
      const at = `${path}/source/operations/${index}/handler`
      if (handler.type === 'agent') node.agents.push({ path: `${at}/agent`, name: handler.agent })
      if (handler.type === 'entity') node.entities.push({ path: `${at}/entity`, name: handler.entity })
    }
  }
  return node
}
