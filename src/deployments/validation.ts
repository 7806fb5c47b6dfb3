/**
 * Whether what a Deployment pins is there and fits together: Agents, Definitions, bindings, grants, Connections. Pure, and
 * complete: it tells of every problem, not of the first. Source: contract 3, "validating".
 */
import type { DeploymentIssue } from '../../machines/deployment.ts'
import type { DeployedAgent, DeployedConnection, Pinned } from './pinned.ts'

/** What has been deleted, or is about to be, since it was pinned. */
export const missingIssues = ({ agents, definitions, connections }: Pinned): DeploymentIssue[] => [
  ...agents.flatMap(({ agentId, found, status }) => absence(`/agents/${agentId}`, 'agent', found, status)),
  ...definitions.flatMap(({ definitionId, found, status }) =>
    absence(`/definitions/${definitionId}`, 'definition', found, status),
  ),
  ...connections.flatMap(({ connectionId, found, status }) =>
    absence(`/connections/${connectionId}`, 'connection', found, status),
  ),
]

function absence(path: string, what: string, found: unknown, status: string | undefined): DeploymentIssue[] {
  if (found === undefined)
    return [
      { code: `${what}_missing`, path, message: `The ${what}, or the version that is pinned, is not there any more.` },
    ]
  if (status === 'deleting') return [{ code: `${what}_deleting`, path, message: 'It is being deleted.' }]
  return []
}

/** Runs have the whole bundle in memory. */
const sizeMax = 16 * 1024 * 1024

const sizeIssues = ({ size }: Pinned): DeploymentIssue[] =>
  size > sizeMax
    ? [{ code: 'too_large', path: '', message: 'Release and configuration have more than 16 MiB together.' }]
    : []

/** Everything that can be judged without secrets. */
export const issuesOf = (pinned: Pinned): DeploymentIssue[] => [
  ...sizeIssues(pinned),
  ...missingIssues(pinned),
  ...pinned.connections.flatMap(disablement),
  ...pinned.agents.flatMap((agent) => [...bindingIssues(agent, pinned), ...grantIssues(agent)]),
]

const disablement = ({ connectionId, found, status }: DeployedConnection): DeploymentIssue[] =>
  status === 'disabled'
    ? [
        {
          code: 'connection_disabled',
          path: `/connections/${connectionId}`,
          message: `The Connection ${found?.name ?? ''} is disabled.`,
        },
      ]
    : []

/** A binding is the Connection or variable that is bound to this very Agent under this very key. */
export const boundTo = <Bound extends { agentId: string | null; bindingKey: string | null }>(
  bound: readonly Bound[],
  agentId: string,
  bindingKey: string,
): Bound | undefined => bound.find((one) => one.agentId === agentId && one.bindingKey === bindingKey)

function bindingIssues({ agentId, found }: DeployedAgent, pinned: Pinned): DeploymentIssue[] {
  return (found?.content.bindings ?? []).flatMap(({ bindingKey, kind, connectionKind, required }) => {
    const path = `/agents/${agentId}/bindings/${bindingKey}`
    const connection = boundTo(pinned.connections, agentId, bindingKey)
    const bound = kind === 'connection' ? connection : boundTo(pinned.variables, agentId, bindingKey)
    if (!bound) {
      const message = `The Agent ${found?.slug} needs a ${kind} bound as ${bindingKey}.`
      return required ? [{ code: 'binding_missing', path, message }] : []
    }
    const isKind = connection?.found?.kind
    if (kind === 'connection' && connectionKind !== undefined && isKind !== undefined && isKind !== connectionKind) {
      const message = `The Agent ${found?.slug} needs a Connection of kind ${connectionKind} as ${bindingKey}; it is ${isKind}.`
      return [{ code: 'binding_kind_mismatch', path, message }]
    }
    return []
  })
}

function grantIssues({ agentId, found }: DeployedAgent): DeploymentIssue[] {
  const granted = new Set(found?.grantedOperations)
  return (found?.content.tools ?? []).flatMap((tool) =>
    tool.kind === 'operation' && !granted.has(tool.operation)
      ? [
          {
            code: 'grant_missing',
            path: `/agents/${agentId}/tools/${tool.name}`,
            message: `The Agent ${found?.slug} has the tool ${tool.name}, and its revision is not granted ${tool.operation}.`,
          },
        ]
      : [],
  )
}
