/**
 * Which model a run uses, and whose credential. Without a provider it is the platform's default; a provider that is named
 * uses a credential of the organization and never falls back. Source: requirement 4.14; contract 5.
 */
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { PlatformDefault } from '../providers/platform.ts'
import { isModelName, isVendor, type Provider, type Vendor, vendors } from '../providers/vendors.ts'
import type { AgentContent, ReasoningBudget } from '../runner/protocol.ts'

/** What a request says about the model. */
export interface ModelRequest {
  provider?: Vendor
  model?: string
  reasoningBudget?: ReasoningBudget
}

/** As a run's row holds it; the credential itself is looked up for each attempt. */
export interface Binding {
  provider: Provider
  model: string
  reasoningBudget: ReasoningBudget | null
  credential: 'platform' | 'organization'
}

/** Whether an organization has an active credential for a vendor. */
export interface OrganizationCredentials {
  has(organizationId: string, provider: Vendor): boolean | Promise<boolean>
}

export interface BindingParts {
  /** Null while the platform default is unconfigured. */
  platform: PlatformDefault | null
  /** The deployment's overrides: with one, model names are checked for form only. */
  baseUrls: Partial<Record<Vendor, string>>
  credentials: OrganizationCredentials
}

const unconfigured = (message: string) => new ApiError(400, 'provider_unconfigured', message)

export class BindingResolver {
  constructor(private readonly parts: BindingParts) {}

  /**
   * The binding of a new run: what the request says, else the agent's content, else the platform's default. Throws
   * `provider_unconfigured` or `invalid_model` (both 400).
   */
  forStart(caller: Caller, asked: ModelRequest, content: AgentContent): Binding | Promise<Binding> {
    const author = content.model ?? {}
    const reasoningBudget = asked.reasoningBudget ?? author.reasoningBudget ?? null
    const provider = asked.provider ?? author.provider
    // an author's model goes with the author's provider
    const authorModel = asked.provider === undefined || asked.provider === author.provider ? author.model : undefined
    const model = asked.model ?? authorModel
    if (provider === undefined) return this.#platform(model, reasoningBudget)
    return this.#organization(caller, provider, model, reasoningBudget)
  }

  /** The binding after a continue; undefined when nothing changes. Throws as `forStart`. */
  forContinue(caller: Caller, asked: ModelRequest, before: Binding): undefined | Binding | Promise<Binding> {
    const reasoningBudget = asked.reasoningBudget ?? before.reasoningBudget
    if (asked.provider !== undefined) {
      const model = asked.model ?? (asked.provider === before.provider ? before.model : undefined)
      return this.#organization(caller, asked.provider, model, reasoningBudget)
    }
    if (before.credential === 'platform' && this.parts.platform === null) {
      throw unconfigured('The platform default provider is not configured.')
    }
    if (asked.model === undefined && asked.reasoningBudget === undefined) return undefined
    const model = asked.model ?? before.model
    this.#assertModel(before.provider, model)
    return { ...before, model, reasoningBudget }
  }

  #platform(asked: string | undefined, reasoningBudget: ReasoningBudget | null): Binding {
    const { platform } = this.parts
    if (!platform) throw unconfigured('The platform default provider is not configured; name a provider.')
    const model = asked ?? platform.model
    if (asked !== undefined) this.#assertModel(platform.provider, model)
    return { provider: platform.provider, model, reasoningBudget, credential: 'platform' }
  }

  async #organization(
    caller: Caller,
    provider: string,
    asked: string | undefined,
    reasoningBudget: ReasoningBudget | null,
  ): Promise<Binding> {
    if (!isVendor(provider) || !(await this.parts.credentials.has(caller.organizationId, provider))) {
      throw unconfigured(`The organization has no active credential for ${provider}.`)
    }
    const model = asked ?? vendors[provider].defaultModel
    this.#assertModel(provider, model)
    return { provider, model, reasoningBudget, credential: 'organization' }
  }

  #assertModel(provider: Provider, model: string) {
    const baseUrl = provider === 'sandbox' ? undefined : this.parts.baseUrls[provider]
    if (!isModelName(provider, model, baseUrl)) {
      throw new ApiError(400, 'invalid_model', `The model is not one of ${provider}.`)
    }
  }
}
