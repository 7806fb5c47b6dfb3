/**
 * Validates the pins of a Deployment: Agents, Definitions, bindings, grants, Connections. Pure; reports all problems, not only
 * the first. Source: contract 3, "validating".
 */
import type { DeploymentIssue } from '../../../machines/deployment.ts'
import { lacksSecret } from '../connections/destination.ts'
import { someOf } from '../dependents.ts'
import { metBy, type Need, needed, needsOf } from './needs.ts'
import type { DeployedAgent, DeployedConnection, Pinned } from './pinned.ts'

/** Pinned resources that were deleted or are being deleted. */
export const missingIssues = ({ agents, definitions, connections }: Pinned): DeploymentIssue[] => [
  ...agents.flatMap(({ agentId, found, status }) =>
    absence(`/agents/${agentId}`, 'agent', found && `${found.slug} (${agentId})`, status),
  ),
  ...definitions.flatMap(({ definitionId, found, status }) =>
    absence(`/definitions/${definitionId}`, 'definition', found && `${found.name} (${definitionId})`, status),
  ),
  ...connections.flatMap(({ connectionId, name, found, status }) =>
    absence(`/connections/${connectionId}`, 'connection', found && `${name} (${connectionId})`, status),
  ),
]

/** `shown`: its name and id; undefined if it is missing. */
function absence(path: string, what: string, shown: string | undefined, status: string | undefined): DeploymentIssue[] {
  if (shown === undefined)
    return [{ code: `${what}_missing`, path, message: `The ${what} or its pinned version no longer exists.` }]
  if (status === 'deleting') {
    return [{ code: `${what}_deleting`, path, message: `The ${what} ${shown} is being deleted; release without it.` }]
  }
  return []
}

/** Runs hold the whole bundle in memory. */
const sizeMax = 16 * 1024 * 1024

const sizeIssues = ({ size }: Pinned): DeploymentIssue[] =>
  size > sizeMax
    ? [{ code: 'too_large', path: '', message: 'Release and configuration together are larger than 16 MiB.' }]
    : []

/** All issues that can be found without secrets. */
export const issuesOf = (pinned: Pinned): DeploymentIssue[] => {
  const inForce = needed(pinned)
  return [
    ...sizeIssues(pinned),
    ...missingIssues(inForce),
    ...inForce.connections.flatMap(disablement),
    ...inForce.connections.flatMap(credentialAbsence),
    ...needsOf(pinned).flatMap((need) => needIssues(need, pinned)),
    ...pinned.agents.flatMap(grantIssues),
  ]
}

const disablement = ({ connectionId, name, status }: DeployedConnection): DeploymentIssue[] =>
  status === 'disabled'
    ? [
        {
          code: 'connection_disabled',
          path: `/connections/${connectionId}`,
          message: `The Connection ${name} (${connectionId}) is disabled; enable it.`,
        },
      ]
    : []

function credentialAbsence(connection: DeployedConnection): DeploymentIssue[] {
  const { connectionId, name, found, providerCredentialId: credentialId, grantId } = connection
  if (!found || !lacksSecret({ ...found, credentialId, byOAuth: grantId !== null })) return []
  const message =
    `The Connection ${name} (${connectionId}) has no credential, and its settings have auth: ${found.settings.auth}. ` +
    'Give it a version with a providerCredentialId, or with settings without auth, and create a new Configuration Revision.'
  return [{ code: 'credential_missing', path: `/connections/${connectionId}`, message }]
}

function needIssues(need: Need, pinned: Pinned): DeploymentIssue[] {
  const { agentId, slug, kind, key, declared, connectionKind } = need
  const path = `/agents/${agentId}/bindings/${key}`
  const { connection, variable } = metBy(need, pinned)
  if (!connection && !variable) {
    return declared === 'optional' ? [] : [{ code: 'binding_missing', path, message: missing(need) }]
  }
  const isKind = connection?.found?.kind
  if (kind === 'connection' && connectionKind !== undefined && isKind !== undefined && isKind !== connectionKind) {
    const message = `The Agent ${slug} needs a Connection of kind ${connectionKind} as ${key}; ${connection?.name} is ${isKind}.`
    return [{ code: 'binding_kind_mismatch', path, message }]
  }
  return []
}

/** The message for a missing item: who needs it, for which operations, and how to provide it. */
function missing({ slug, kind, key, operations }: Need): string {
  const what = kind === 'connection' ? 'Connection' : 'variable'
  const purpose = operations.length === 0 ? '' : ` for ${someOf(operations)}`
  return (
    `The Agent ${slug} needs the ${what} ${key}${purpose}, and the Configuration Revision has none: bind one to the Agent ` +
    `under that key or give one that name in this Environment, or enable it, and create a new Configuration Revision.`
  )
}

function grantIssues({ agentId, found }: DeployedAgent): DeploymentIssue[] {
  const granted = new Set(found?.grantedOperations)
  return (found?.content.tools ?? []).flatMap((tool) =>
    tool.kind === 'operation' && !granted.has(tool.operation)
      ? [
          {
            code: 'grant_missing',
            path: `/agents/${agentId}/tools/${tool.name}`,
            message: `The Agent ${found?.slug} has the tool ${tool.name}, but its revision is not granted ${tool.operation}: add that to its grantedOperations.`,
          },
        ]
      : [],
  )
}
