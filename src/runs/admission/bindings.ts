/**
 * Chooses the model and the credential of a run, in this order: the request, the Environment's provider setting, the
 * Agent's author, the platform default. A provider that a request or a setting names uses a credential of the
 * organization and never falls back; the author's provider is used only if the organization has a credential for it.
 * The credential is pinned by version. Source: requirement 1, 4.14; contract 5, "Model choice".
 */
import type { BundledAgent, CredentialPin } from '../../delivery/deployments/bundle.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { isModelName, isVendor, type Provider, type Vendor, vendors } from '../../platform/models/vendors.ts'
import type { PlatformDefault } from '../providers/platform.ts'
import type { AgentContent, ReasoningBudget } from '../runner/protocol/protocol.ts'

/** The model settings of a request. */
export interface ModelRequest {
  provider?: Vendor
  model?: string
  reasoningBudget?: ReasoningBudget
}

/** The model settings of an agent: its author's, and the Environment's. */
interface ModelWishes {
  content: Pick<AgentContent, 'model'>
  setting?: BundledAgent['setting']
}

/** The model of one agent of a run. */
export interface ModelPin {
  provider: Provider
  model: string
  reasoningBudget: ReasoningBudget | null
  /** The platform's credential, or an exact version of one of the organization's. */
  credential: 'platform' | CredentialPin
}

/** Stored in the run's row; the credential's secret is loaded for each attempt. */
export interface Binding extends ModelPin {
  /** The models of the delegates, by agent id; omitted if there are none. */
  team?: Record<string, TeamPin>
}

/** A delegate, in its revision at the start of the run. */
interface TeamPin extends ModelPin {
  agentRevisionId: string
}

/** A delegate before its model is chosen. */
export interface TeamMember extends ModelWishes {
  agentId: string
  agentRevisionId: string
}

interface OrganizationCredentials {
  /** The newest active credential for the vendor, at its current version. */
  newestActive(organizationId: string, provider: Vendor): Promise<CredentialPin | undefined>
}

interface BindingParts {
  /** null if no platform default is configured. */
  platform: PlatformDefault | null
  /** Base URLs of this server's settings. With one, model names are checked only for their form. */
  baseUrls: Partial<Record<Vendor, string>>
  credentials: OrganizationCredentials
}

const unconfigured = (message: string) => new ApiError(400, 'provider_unconfigured', message)
const noPlatform = 'The platform default provider is not configured (TROUPE_PLATFORM_PROVIDER, TROUPE_PLATFORM_API_KEY)'

export class BindingResolver {
  constructor(private readonly parts: BindingParts) {}

  /**
   * The binding of a new run of the agent and of its delegates. A provider in the request applies to all of them.
   * Throws `provider_unconfigured` or `invalid_model` (both 400).
   */
  forStart(
    { organizationId }: Pick<Caller, 'organizationId'>,
    request: ModelRequest,
    agent: ModelWishes & { team?: readonly TeamMember[] },
  ): Binding | Promise<Binding> {
    const own = this.#choose(organizationId, request, agent)
    const { team = [] } = agent
    return team.length === 0 ? own : this.#withTeam(organizationId, request, own, team)
  }

  /** The binding after a continue; undefined if unchanged. Throws as `forStart` does. */
  forContinue(
    { organizationId }: Pick<Caller, 'organizationId'>,
    request: ModelRequest,
    before: Binding,
  ): undefined | Binding | Promise<Binding> {
    const reasoningBudget = request.reasoningBudget ?? before.reasoningBudget
    if (request.provider !== undefined) return this.#moved(organizationId, request, request.provider, before)
    if (before.credential === 'platform' && this.parts.platform === null) {
      throw unconfigured(`${noPlatform}; name a provider.`)
    }
    if (request.model === undefined && request.reasoningBudget === undefined) return undefined
    return {
      ...this.#pin(before.provider, request.model ?? before.model, reasoningBudget, before.credential),
      ...teamOf(before),
    }
  }

  #choose(organizationId: string, request: ModelRequest, wishes: ModelWishes): ModelPin | Promise<ModelPin> {
    const { content, setting } = wishes
    const wished = content.model?.provider
    const budget = request.reasoningBudget ?? settingBudget(setting) ?? content.model?.reasoningBudget ?? null
    const modelOf = (provider: string | undefined) => request.model ?? modelFor(provider, wishes)
    if (request.provider !== undefined) {
      return this.#ofOrganization(organizationId, request.provider, modelOf(request.provider), budget)
    }
    if (setting?.provider) {
      const { provider, credential } = setting
      if (!credential) return this.#ofOrganization(organizationId, provider, modelOf(provider), budget)
      return this.#pin(providerOf(provider), modelOf(provider), budget, credential)
    }
    if (wished === undefined) return this.#ofPlatform(modelOf(undefined), budget)
    return this.#ofOrganization(organizationId, wished, modelOf(wished), budget, () =>
      this.#ofPlatform(this.parts.platform?.provider === wished ? modelOf(wished) : request.model, budget),
    )
  }

  async #withTeam(
    organizationId: string,
    { provider }: ModelRequest,
    choosing: ModelPin | Promise<ModelPin>,
    team: readonly TeamMember[],
  ): Promise<Binding> {
    const own = await choosing
    const pins: Record<string, TeamPin> = {}
    for (const member of team) {
      const { agentId, agentRevisionId, content, setting } = member
      const budget = settingBudget(setting) ?? content.model?.reasoningBudget ?? null
      const pin =
        provider === undefined
          ? await this.#choose(organizationId, {}, member)
          : this.#pin(own.provider, modelFor(provider, member) ?? own.model, budget, own.credential)
      pins[agentId] = { ...pin, agentRevisionId }
    }
    return { ...own, team: pins }
  }

  /** The binding with another provider, or with another credential of the same one. */
  async #moved(organizationId: string, request: ModelRequest, provider: Vendor, before: Binding): Promise<Binding> {
    const modelOf = (pin: ModelPin) => (pin.provider === provider ? pin.model : undefined)
    const budget = request.reasoningBudget ?? before.reasoningBudget
    const own = await this.#ofOrganization(organizationId, provider, request.model ?? modelOf(before), budget)
    if (!before.team) return own
    const moved = Object.entries(before.team).map(([agentId, pin]): [string, TeamPin] => [
      agentId,
      { ...pin, provider: own.provider, model: modelOf(pin) ?? own.model, credential: own.credential },
    ])
    return { ...own, team: Object.fromEntries(moved) }
  }

  #ofPlatform(model: string | undefined, reasoningBudget: ReasoningBudget | null): ModelPin {
    const { platform } = this.parts
    if (!platform) throw unconfigured(`${noPlatform}; name a provider.`)
    if (model === undefined) {
      return { provider: platform.provider, model: platform.model, reasoningBudget, credential: 'platform' }
    }
    return this.#pin(platform.provider, model, reasoningBudget, 'platform')
  }

  /** With the organization's newest credential; without one, what `otherwise` returns or an error. */
  async #ofOrganization(
    organizationId: string,
    provider: string,
    model: string | undefined,
    reasoningBudget: ReasoningBudget | null,
    otherwise?: () => ModelPin,
  ): Promise<ModelPin> {
    const credential = isVendor(provider)
      ? await this.parts.credentials.newestActive(organizationId, provider)
      : undefined
    if (credential) return this.#pin(providerOf(provider), model, reasoningBudget, credential)
    if (otherwise) return otherwise()
    throw unconfigured(
      `The organization has no active credential for ${provider}: store one (POST …/provider-credentials), or name no ` +
        "provider to use the Agent's or the platform's.",
    )
  }

  #pin(
    provider: Provider,
    asked: string | undefined,
    reasoningBudget: ReasoningBudget | null,
    credential: ModelPin['credential'],
  ): ModelPin {
    const baseUrl = provider === 'sandbox' ? undefined : this.parts.baseUrls[provider]
    const model = asked ?? (provider === 'sandbox' ? provider : vendors[provider].defaultModel)
    if (!isModelName(provider, model, baseUrl)) {
      const example =
        provider === 'sandbox' ? 'its only model is sandbox' : `an example is ${vendors[provider].defaultModel}`
      throw new ApiError(400, 'invalid_model', `${provider} has no model ${JSON.stringify(model)}; ${example}.`)
    }
    return { provider, model, reasoningBudget, credential }
  }
}

const teamOf = ({ team }: Binding) => (team ? { team } : {})

/** A model setting applies only with the provider that it was set for. */
function modelFor(provider: string | undefined, { content, setting }: ModelWishes): string | undefined {
  const author = content.model
  const settingModel = (setting?.provider ?? author?.provider) === provider ? setting?.model : undefined
  return settingModel ?? (author?.provider === provider ? author?.model : undefined)
}

/** The reasoning budget of the settings, if they have one. */
function settingBudget(setting: ModelWishes['setting']): ReasoningBudget | undefined {
  const budget = setting?.settings.reasoningBudget
  if (budget === 'low' || budget === 'medium' || budget === 'high') return budget
  return Number.isInteger(budget) && (budget as number) >= 0 && (budget as number) <= 100_000
    ? (budget as number)
    : undefined
}

function providerOf(name: string): Provider {
  if (isVendor(name)) return name
  throw unconfigured(`Unknown provider: ${name}.`)
}
