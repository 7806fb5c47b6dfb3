/** What a Release pins, reduced to what refers and is referred to. */
import type { PinnedAgentRow, PinnedDefinitionRow } from '../../storage/releases.ts'
import type { EntitySource, OperationsSource, WorkflowSource } from '../definitions/source.ts'
import type { AgentContent } from '../runner/protocol.ts'

/** A name, and where in the request and in what it pins it stands. */
export interface Reference {
  path: string
  name: string
}

export interface AgentNode {
  agentId: string
  slug: string
  /** `<definition>.<operation>`, of tools and of grants. */
  operations: Reference[]
  /** Delegates within the server: name, and the Agent that the content means. */
  delegates: { path: string; name: string; agentId: string }[]
}

export interface DefinitionNode {
  definitionId: string
  /** As the graph was resolved with it. */
  name: string
  kind: PinnedDefinitionRow['kind']
  /** What it offers: the operations of a Definition of that kind. */
  offers: ReadonlySet<string>
  /** `<definition>.<operation>`, of steps. */
  operations: Reference[]
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
  const { tools = [], delegates = [] } = JSON.parse(content) as AgentContent
  const granted = JSON.parse(granted_operations) as string[]
  return {
    agentId,
    slug,
    operations: [
      ...tools.flatMap((tool, index) =>
        tool.kind === 'operation' ? [{ path: `${path}/content/tools/${index}/operation`, name: tool.operation }] : [],
      ),
      ...granted.flatMap((name, index) =>
        isOperation(name) ? [{ path: `${path}/grantedOperations/${index}`, name }] : [],
      ),
    ],
    delegates: delegates.flatMap((delegate, index) =>
      'agentId' in delegate
        ? [{ path: `${path}/content/delegates/${index}/agentId`, name: delegate.name, agentId: delegate.agentId }]
        : [],
    ),
  }
}

export function definitionNode(definitionId: string, row: PinnedDefinitionRow, path: string): DefinitionNode {
  const source = JSON.parse(row.source) as OperationsSource | WorkflowSource | EntitySource
  const node: DefinitionNode = {
    definitionId,
    name: row.name,
    kind: row.kind,
    offers: new Set(),
    operations: [],
    agents: [],
    entities: [],
  }
  if ('steps' in source) {
    node.operations = source.steps.map(({ operation }, index) => ({
      path: `${path}/source/steps/${index}/operation`,
      name: operation,
    }))
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
