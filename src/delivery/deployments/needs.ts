/**
 * The needs of a Deployment's Agents: declared bindings, and those that their granted operations use. Pure. Source: contract 3,
 * "Only what the Release can reach is judged".
 */

import { variablesIn } from '../../authoring/definitions/placeholders.ts'
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { PinnedVariable } from '../configuration-revisions/content.ts'
import type { DeployedAgent, DeployedConnection, Pinned } from './pinned.ts'
import { resolved } from './resolution.ts'

export interface Need {
  agentId: string
  slug: string
  kind: 'connection' | 'variable'
  key: string
  /** `undeclared`: operations use it, and the Agent does not declare it. */
  declared: 'required' | 'optional' | 'undeclared'
  /** The required kind of the Connection; undefined for any. */
  connectionKind: string | undefined
  /** The operations that use it, `<definition>.<operation>`. */
  operations: string[]
}

/** The Connection and the variables that an operation uses, by key. */
const namedBy = (handler: Handler): Pick<Need, 'kind' | 'key'>[] =>
  handler.type === 'mcp'
    ? [{ kind: 'connection', key: handler.connection }]
    : handler.type === 'http'
      ? [
          { kind: 'connection', key: handler.connection },
          ...[...variablesIn([handler.path, handler.query, handler.headers, handler.body])].map((key) => ({
            kind: 'variable' as const,
            key,
          })),
        ]
      : []

/** All needs, once for each Agent and key. */
export function needsOf({ agents, definitions }: Pick<Pinned, 'agents' | 'definitions'>): Need[] {
  const operations = new Map(
    definitions.flatMap(({ found }) =>
      found && 'operations' in found.source
        ? found.source.operations.map((operation): [string, Operation] => [
            `${found.name}.${operation.name}`,
            operation,
          ])
        : [],
    ),
  )
  return agents.flatMap((agent) => needsOfAgent(agent, operations))
}

function needsOfAgent({ agentId, found }: DeployedAgent, operations: ReadonlyMap<string, Operation>): Need[] {
  if (!found) return []
  const { slug } = found
  const needs = new Map<string, Need>()
  for (const { bindingKey, kind, connectionKind, required } of found.content.bindings ?? []) {
    const declared = required ? 'required' : 'optional'
    const need = { agentId, slug, kind, key: bindingKey, declared, connectionKind } as const
    needs.set(`${kind} ${bindingKey}`, { ...need, operations: [] })
  }
  for (const name of found.grantedOperations) {
    const operation = operations.get(name)
    if (!operation) continue
    for (const { kind, key } of namedBy(operation.handler)) {
      const known = needs.get(`${kind} ${key}`)
      if (known) {
        known.operations.push(name)
        // what may be missing may also be of another kind
        if (kind === 'connection' && known.declared === 'required') known.connectionKind = 'http'
      } else {
        const connectionKind = kind === 'connection' ? 'http' : undefined
        const by: Pick<Need, 'declared' | 'operations'> = { declared: 'undeclared', operations: [name] }
        needs.set(`${kind} ${key}`, { agentId, slug, kind, key, connectionKind, ...by })
      }
    }
  }
  return [...needs.values()]
}

interface Met {
  connection?: DeployedConnection | undefined
  variable?: PinnedVariable | undefined
}

/** The pinned item that meets a need. */
export const metBy = (need: Need, { connections, variables }: Pick<Pinned, 'connections' | 'variables'>): Met =>
  need.kind === 'connection'
    ? { connection: resolved(connections, need.agentId, need.key) }
    : { variable: resolved(variables, need.agentId, need.key) }

/** The pins that must be usable for the Deployment to become ready: without items that no required binding needs. */
export function needed(pinned: Pinned): Pinned {
  const connections = new Set<unknown>()
  const variables = new Set<unknown>()
  for (const need of needsOf(pinned)) {
    if (need.declared === 'optional') continue
    const { connection, variable } = metBy(need, pinned)
    connections.add(connection)
    variables.add(variable)
  }
  return {
    ...pinned,
    connections: pinned.connections.filter((one) => connections.has(one)),
    variables: pinned.variables.filter((one) => variables.has(one)),
  }
}
