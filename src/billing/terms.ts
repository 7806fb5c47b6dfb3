/** The budget, limits and period of an organization. Source: requirement 8; contract 8. */
import type { Period } from '../../machines/period.ts'
import type { PaymentProvider } from '../../machines/subscription.ts'
import { findSubscription } from '../../storage/billing/billing.ts'
import type { Store } from '../../storage/store.ts'
import { RecentlyUsed } from '../platform/cache.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actors } from '../runtime/actors.ts'
import type { PlanLimits } from '../tenancy/organizations/limits.ts'
import { contractOf } from './contract.ts'
import type { Plans } from './plans.ts'

export interface Terms {
  planKey: string
  /** Minutes in the period; null is unlimited. */
  minuteBudget: number | null
  /** The limits of the organization. */
  limits: PlanLimits
  /** Epoch milliseconds; `start` is inclusive, `end` exclusive. */
  period: Period
}

interface ContractTermsParts {
  store: Store
  clock: Clock
  plans: Plans
  /** null: no payment provider is configured. */
  provider: PaymentProvider | null
}

/** Changes by other servers are announced; a change whose announcement was lost is seen after this time. */
const rememberedUnheardMs = 5_000
/** Without other servers, contracts change only here. */
const rememberedMs = 30_000
const organizationsMax = 10_000

/** Caches the terms of organizations; changes by this process are seen at once. */
export class ContractTerms {
  #known = new RecentlyUsed<{ terms: Terms; until: number }>(organizationsMax)
  /** A look-up that began before a change is not cached after it. */
  #changes = 0
  #isShared = false

  constructor(private readonly parts: ContractTermsParts) {}

  /** Follows all changes of subscriptions. */
  follow(actors: Actors): void {
    this.#isShared = actors.isShared
    actors.subscribe({ kind: 'subscription' }, ({ actor }) => this.#forget(actor.address.id))
    actors.onChangeElsewhere('subscription', (id) => this.#forget(id))
  }

  /** The current terms; a plain value if they are cached. */
  of(organizationId: string): Terms | Promise<Terms> {
    const known = this.#known.get(organizationId)
    return known && this.parts.clock.now() < known.until ? known.terms : this.#read(organizationId)
  }

  /** The current limits of the organization. */
  limits(organizationId: string): PlanLimits | Promise<PlanLimits> {
    const terms = this.of(organizationId)
    return terms instanceof Promise ? terms.then(({ limits }) => limits) : terms.limits
  }

  async #read(organizationId: string): Promise<Terms> {
    const { store, clock, plans, provider } = this.parts
    const changes = this.#changes
    const row = await store.first(findSubscription(store, { organizationId }))
    const now = clock.now()
    const { planKey, minuteBudget, limits, period } = contractOf(row, { plans, provider, now })
    const terms = { planKey, minuteBudget, limits, period }
    const keptMs = this.#isShared ? rememberedUnheardMs : rememberedMs
    if (changes === this.#changes) this.#known.set(organizationId, { terms, until: Math.min(now + keptMs, period.end) })
    return terms
  }

  /** Without an id: those of all organizations. */
  #forget(organizationId: string | undefined): void {
    this.#changes += 1
    if (organizationId !== undefined) this.#known.delete(organizationId)
    else this.#known = new RecentlyUsed(organizationsMax)
  }
}
