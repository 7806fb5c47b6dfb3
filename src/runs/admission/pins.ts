/**
 * Loads what a run was pinned to at admission, for each attempt: the agents of its Deployment's bundle and the keys of
 * the exact credential versions in its binding. A disabled, expired or deleted credential is not replaced. Source:
 * requirement 3, 9.2; contract 3, "fails closed"; contract 5.
 */
import type { RunRow } from '../../../storage/tables.ts'
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { Bundles, DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { BindingsInForce } from '../../delivery/deployments/in-force.ts'
import type { CredentialSecrets } from '../../delivery/provider-credentials/secrets.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import { BindingUnavailable, type Pins } from '../attempts/leasing/assignment.ts'
import type { PlatformDefault } from '../providers/platform.ts'
import type { ModelAccess } from '../providers/step.ts'
import {
  type AgentContent,
  type AgentMeans,
  type AssignedAgent,
  delegateLevelsMax,
  type ModelBinding,
} from '../runner/protocol/protocol.ts'
import type { Binding, ModelPin } from './bindings.ts'
import { operationTools } from './operation-tools.ts'

interface RevisionFinder {
  revision(agentRevisionId: string): MaybePromise<{ name: string; content: AgentContent } | undefined>
}
type MaybePromise<Value> = Value | Promise<Value>

interface PinsParts {
  systemAgents: RevisionFinder
  bundles: Bundles
  credentials: CredentialSecrets
  /** Checks that the bindings that an Agent requires are in force. */
  bindings: Pick<BindingsInForce, 'assertRequired'>
  /** null if no platform default is configured. */
  platform: PlatformDefault | null
  baseUrls: Partial<Record<Vendor, string>>
}

export function pinsOf(parts: PinsParts): Pins {
  return {
    async content(row) {
      if (row.deployment_id !== null) {
        const agent = (await bundleOf(parts, row.deployment_id)).agent(row.agent_id)
        if (agent) return { name: agent.name, content: contentOf(agent) }
      }
      const revision = await parts.systemAgents.revision(row.agent_revision_id)
      if (!revision) throw new BindingUnavailable('The Agent Revision of the run no longer exists.')
      return revision
    },
    async means(row, binding) {
      const model = modelOf(binding)
      if (row.deployment_id === null) return { model, operations: {}, delegates: {} }
      const bundle = await bundleOf(parts, row.deployment_id)
      const agent = bundle.agent(row.agent_id)
      if (!agent) throw new BindingUnavailable('The Deployment of the run does not contain the Agent.')
      await closed(parts.bindings.assertRequired(bundle, agent))
      const assign = await assigner(parts, bundle, binding)
      return assign(agent, model, delegateLevelsMax)
    },
    models(row, binding) {
      const accessOf = accesses(parts, row)
      return (agentId) => {
        const pin = agentId === row.agent_id ? binding : binding.team?.[agentId]
        if (!pin) throw new BindingUnavailable('The agent is not part of the run.')
        return accessOf(pin)
      }
    },
  }
}

/** Turns a missing or unusable dependency into the failure of the run. */
async function closed<Value>(looking: Promise<Value>): Promise<Value> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof SecretUnavailable) throw new BindingUnavailable(error.message, { cause: error })
    throw error
  }
}

async function bundleOf({ bundles }: PinsParts, deploymentId: string): Promise<DeployedBundle> {
  const bundle = await bundles.find(deploymentId)
  if (!bundle) throw new BindingUnavailable('The Deployment of the run no longer exists.')
  return bundle
}

/** The agent's content with the Environment's settings applied over the author's. */
function contentOf({ content, setting }: Pick<BundledAgent, 'content' | 'setting'>): AgentContent {
  if (!setting || Object.keys(setting.settings).length === 0) return content
  const { model } = content
  return { ...content, model: { ...model, settings: { ...model?.settings, ...setting.settings } } }
}

/** Assembles agents with their delegates; a delegate shared by several agents appears at each level. */
async function assigner({ systemAgents }: PinsParts, bundle: DeployedBundle, { team = {} }: Binding) {
  const members = new Map<string, { agent: TeamAgent; model: ModelBinding }>()
  for (const [agentId, pin] of Object.entries(team)) {
    const agent = bundle.agent(agentId) ?? (await systemAgent(systemAgents, agentId, pin.agentRevisionId))
    members.set(agentId, { agent, model: modelOf(pin) })
  }
  const known = new Map<string, AssignedAgent>()

  const assign = (agent: TeamAgent, model: ModelBinding, levels: number): AgentMeans => ({
    model,
    operations: operationTools(bundle, agent),
    delegates: Object.fromEntries(
      Object.entries(levels > 0 ? agent.delegates : {}).flatMap(([name, agentId]) => {
        const delegate = delegateOf(agentId, levels - 1)
        return delegate ? [[name, delegate]] : []
      }),
    ),
  })
  const delegateOf = (agentId: string, levels: number): AssignedAgent | undefined => {
    const key = `${agentId} ${levels}`
    const before = known.get(key)
    if (before) return before
    const member = members.get(agentId)
    if (!member) return undefined
    const { agent, model } = member
    const { agentRevisionId, name } = agent
    const assigned = { agentId, agentRevisionId, name, content: contentOf(agent), ...assign(agent, model, levels) }
    known.set(key, assigned)
    return assigned
  }
  return assign
}

type TeamAgent = Omit<BundledAgent, 'slug'>

/** A System Agent as a delegate: it has no Release, no grants and no settings. */
async function systemAgent(systemAgents: RevisionFinder, agentId: string, agentRevisionId: string): Promise<TeamAgent> {
  const revision = await systemAgents.revision(agentRevisionId)
  if (!revision) throw new BindingUnavailable('The Agent Revision of a delegate no longer exists.')
  const { name, content } = revision
  return { agentId, agentRevisionId, name, content, grantedOperations: [], delegates: {}, setting: null }
}

const modelOf = ({ provider, model, reasoningBudget }: ModelPin): ModelBinding => ({ provider, model, reasoningBudget })

/** Models with their keys; each credential is decrypted once. */
function accesses({ platform, baseUrls, credentials }: PinsParts, { organization_id: organizationId }: RunRow) {
  const opened = new Map<string, Promise<string>>()
  const keyOf = ({ credential, provider }: ModelPin): string | null | Promise<string> => {
    if (credential === 'platform') {
      if (platform?.provider === provider) return platform.apiKey
      throw new BindingUnavailable('The platform default provider has changed since the run started.')
    }
    const { id: credentialId, version } = credential
    const name = `${credentialId} ${version}`
    const opening = opened.get(name) ?? open({ organizationId, credentialId, version })
    opened.set(name, opening)
    return opening
  }
  const open = async (reference: Parameters<CredentialSecrets['reveal']>[0]) => {
    return (await closed(credentials.reveal(reference))).reveal()
  }
  return async (pin: ModelPin): Promise<ModelAccess> => {
    const { provider, model, reasoningBudget } = pin
    const baseUrl = provider === 'sandbox' ? null : (baseUrls[provider] ?? null)
    return { provider, model, reasoningBudget, apiKey: await keyOf(pin), baseUrl }
  }
}
