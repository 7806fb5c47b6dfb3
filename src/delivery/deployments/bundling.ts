/** Builds a bundle from the pins of a Deployment. Pure. Source: contract 3, "materializing". */
import type { DeploymentRow } from '../../../storage/tables.ts'
import type { Bundle, CredentialPin } from './bundle.ts'
import type { Pinned } from './pinned.ts'

const credentialOf = (pin: {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}): CredentialPin | null =>
  pin.providerCredentialId !== null && pin.providerCredentialVersion !== null
    ? { id: pin.providerCredentialId, version: pin.providerCredentialVersion }
    : null

/** Skips missing parts: the bundle is complete only if the Deployment has none. */
export const bundleOf = (deployment: DeploymentRow, pinned: Pinned): Bundle => ({
  version: 1,
  organizationId: deployment.organization_id,
  projectId: deployment.project_id,
  environmentId: deployment.environment_id,
  deploymentId: deployment.id,
  releaseId: deployment.release_id,
  configurationRevisionId: deployment.configuration_revision_id,
  agents: pinned.agents.flatMap(({ agentId, agentRevisionId, found, delegates }) => {
    if (!found) return []
    const setting = pinned.settings.find((one) => one.agentId === agentId)
    return [
      {
        agentId,
        agentRevisionId,
        ...found,
        delegates,
        setting: setting
          ? {
              provider: setting.provider,
              model: setting.model,
              settings: setting.settings,
              credential: credentialOf(setting),
            }
          : null,
      },
    ]
  }),
  definitions: pinned.definitions.flatMap(({ definitionId, definitionRevisionId, found }) =>
    found ? [{ definitionId, definitionRevisionId, ...found }] : [],
  ),
  variables: pinned.variables.map(({ variableId, version, name, agentId, bindingKey }) => ({
    variableId,
    version,
    name,
    agentId,
    bindingKey,
  })),
  connections: pinned.connections.flatMap(
    ({ found, connectionId, connectionVersionId, agentId, bindingKey, grantId, ...pin }) => {
      const consent = deployment.credentials === 'current' && grantId !== null ? { grantId } : {}
      const credential = credentialOf(pin)
      return found ? [{ connectionId, connectionVersionId, ...found, credential, ...consent, agentId, bindingKey }] : []
    },
  ),
})

/** The ids of the credentials that the bundle pins, each once. */
export const credentialsIn = ({ agents, connections }: Bundle): string[] => {
  const pins = [...connections.map(({ credential }) => credential), ...agents.map(({ setting }) => setting?.credential)]
  return [...new Set(pins.flatMap((pin) => (pin ? [pin.id] : [])))]
}
