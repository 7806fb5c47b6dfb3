/** Checkouts, contract and usage of an organization. Source: requirement 4.1; contract 8. */
import { type Period, periodAt } from '../../machines/period.ts'
import { findSubscription, subscriptionIsAt } from '../../storage/billing/billing.ts'
import { findUsage, listPeriodsBefore } from '../../storage/billing/usage.ts'
import type { Store, Write } from '../../storage/store.ts'
import { findOrganization } from '../../storage/tenancy/organizations.ts'
import { countAgents, countProjects } from '../../storage/tenancy/quotas.ts'
import { ApiError, invalid, orNotFound } from '../platform/http/answers/errors.ts'
import { canonical } from '../platform/http/canonical.ts'
import type { Idempotency, KeyedContext } from '../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../platform/http/changes/request-record.ts'
import type { Caller } from '../platform/http/guard/caller.ts'
import type { Clock } from '../platform/time/clock.ts'
import { contractOf } from './contract.ts'
import { assertDestinations } from './destinations.ts'
import type { Plan, Plans } from './plans.ts'
import { billingUnconfigured, noContract, type Provider, type Visit } from './provider.ts'
import {
  type CheckoutBody,
  type PortalBody,
  presentContract,
  presentPeriod,
  presentShare,
  presentUsage,
  type Redirect,
} from './schema.ts'
import type { SubscriptionWork } from './subscription-work.ts'
import type { ContractTerms } from './terms.ts'
import type { ShareOf, UsageShareCounters, UsageSource } from './usage.ts'

export interface BillingParts {
  store: Store
  clock: Clock
  idempotency: Idempotency
  plans: Plans
  provider: Provider | null
  terms: ContractTerms
  usage: UsageSource
  streams: { openOf(organizationId: string): number }
  work: SubscriptionWork
  systemAgents: { find(agentId: string): { name: string } | undefined }
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
}

/** Two years of a monthly plan. */
const pastPeriodsMax = 24

type Answer = { data: Redirect }

const planNotFound = () =>
  new ApiError(404, 'plan_not_found', 'There is no such plan. `GET /api/v1/billing/plans` lists them.')

export class Billing {
  constructor(private readonly parts: BillingParts) {}

  /** The cheapest first. */
  plans(): readonly Plan[] {
    return this.parts.plans.list
  }

  /**
   * The URL of a checkout. Throws `url_not_allowed`, `validation_failed` (422), `plan_not_found` (404),
   * `contract_active` (400), and the errors of an Idempotency-Key and of the provider.
   */
  checkout(context: KeyedContext, caller: Caller, body: CheckoutBody): Promise<Answer> {
    return this.#visit(context, caller, 'checkout', body, async (visit, provider) => {
      const { planKey, successUrl, cancelUrl } = body
      assertDestinations(this.parts.consoleUrl(), { successUrl, cancelUrl })
      const plan = this.parts.plans.find(planKey)
      if (!plan) throw planNotFound()
      if (plan.price.amount === 0) throw invalid([{ path: '/body/planKey', message: 'This plan is free.' }])
      const { name } = known(provider)
      await this.parts.work.send(caller.organizationId, { type: 'checkout', provider: name }, name, by(caller))
      return known(provider).checkout({ ...visit, plan, successUrl, cancelUrl })
    })
  }

  /**
   * The URL of the portal. Throws `url_not_allowed` (422), `no_contract` (400), and the errors of an Idempotency-Key
   * and of the provider.
   */
  portal(context: KeyedContext, caller: Caller, body: PortalBody): Promise<Answer> {
    return this.#visit(context, caller, 'portal', body, async (visit, provider) => {
      const { returnUrl } = body
      assertDestinations(this.parts.consoleUrl(), { returnUrl })
      const { name } = known(provider)
      await this.#assertContracted(caller)
      await this.parts.work.send(caller.organizationId, { type: 'openPortal', provider: name }, name, by(caller))
      return known(provider).portal({ ...visit, returnUrl })
    })
  }

  /** The contract of the organization. */
  async subscription({ organizationId }: Caller) {
    return presentContract(await this.#contract(organizationId))
  }

  /**
   * The usage of the current period, or of the one that began at `begun`, with the current counts and limits; with `by`
   * also for each Project or Agent. Throws `validation_failed` (422) if no period begins then.
   */
  async usage({ organizationId }: Caller, begun?: string, by?: ShareOf) {
    const { store, clock, terms, usage, streams } = this.parts
    const { period: current, minuteBudget, limits } = await terms.of(organizationId)
    const period = await this.#periodFrom(organizationId, begun, current)
    const [counters, shares, past, runs, projects, agents] = await Promise.all([
      usage.of(organizationId, period),
      by && usage.shares(organizationId, period, by),
      // one more, for the current one
      store.all(listPeriodsBefore(store, { organizationId, before: clock.now() + 1, limit: pastPeriodsMax + 1 })),
      usage.counts(organizationId),
      store.first(countProjects(store, { organizationId })),
      store.first(countAgents(store, { organizationId })),
    ])
    const whole = presentUsage({ period, minuteBudget, limits }, counters, {
      ...runs,
      projects: Number(projects?.count ?? 0),
      agents: Number(agents?.count ?? 0),
      openStreams: streams.openOf(organizationId),
    })
    // a contract that ended may have begun after the month that is current now
    const pastPeriods = past
      .filter(({ period_start: start }) => start !== current.start)
      .slice(0, pastPeriodsMax)
      .map(({ period_start: start, period_end: end }) =>
        presentPeriod({ start, end: end ?? periodAt(start, 'month', start).end }),
      )
    return {
      ...whole,
      pastPeriods,
      ...(by && shares && { items: shares.map((share) => presentShare(by, this.#named(share), period)) }),
    }
  }

  /** Adds the names of System Agents. */
  #named(share: UsageShareCounters): UsageShareCounters {
    const { id, name } = share
    return { ...share, name: name ?? (id === null ? null : (this.parts.systemAgents.find(id)?.name ?? null)) }
  }

  /** The current period, one with counted usage, or a past one of the contract or the calendar. */
  async #periodFrom(organizationId: string, begun: string | undefined, current: Period): Promise<Period> {
    if (begun === undefined) return current
    const start = Date.parse(begun)
    if (start === current.start) return current
    const { store } = this.parts
    const [counted, contract] = await Promise.all([
      store.first(findUsage(store, { organizationId, periodStart: start })),
      this.#contract(organizationId),
    ])
    const period = contract.periodFrom(start) ?? (counted && periodAt(start, 'month', start))
    if (!period) {
      const message =
        'No current or past period begins then: use the `period.start` of one, or the start of a month in UTC ' +
        'without a contract.'
      throw invalid([{ path: '/query/period', message }])
    }
    return { start, end: counted?.period_end ?? period.end }
  }

  async #contract(organizationId: string) {
    const { store, clock, plans, provider } = this.parts
    const row = await store.first(findSubscription(store, { organizationId }))
    return contractOf(row, { plans, provider: provider?.name ?? null, now: clock.now() })
  }

  async #visit(
    context: KeyedContext,
    caller: Caller,
    to: 'checkout' | 'portal',
    body: object,
    open: (visit: Visit, provider: Provider | null) => Promise<string>,
  ): Promise<Answer> {
    const { store, idempotency, provider } = this.parts
    const { organizationId, userId, principal } = caller
    const operation = `POST {Org}/billing/${to}`
    const work = async (record: RequestRecord): Promise<Answer> => {
      const organization = orNotFound(await store.first(findOrganization(store, { id: organizationId })))
      const key = context.request.headers.get('idempotency-key')
      const requestKey = digest(operation, organizationId, userId, key, body)
      const visit = { organizationId, organizationName: organization.name, by: principal, requestKey }
      const answer = { data: { url: await open(visit, provider) } }
      await store.commit(record(answer))
      return answer
    }
    const keyed = { operation, caller, path: [organizationId], body }
    return idempotency.answer(context, keyed, work, { required: true, listsConflict: false })
  }

  /** An organization that never visited a checkout has no subscription. */
  async #assertContracted({ organizationId }: Caller): Promise<void> {
    const { store } = this.parts
    if (!(await store.first(findSubscription(store, { organizationId })))) throw noContract()
  }
}

function known(provider: Provider | null): Provider {
  if (!provider) throw billingUnconfigured('This deployment has no payment provider.')
  return provider
}

const by = ({ principal }: Caller) => ({ by: principal })

const digest = (...parts: unknown[]): string =>
  new Bun.CryptoHasher('sha256').update(canonical(parts)).digest('base64url')

interface ContractEndParts extends Pick<BillingParts, 'store' | 'clock'> {
  billing: Pick<BillingParts, 'plans' | 'provider'>
}

/**
 * Makes a check that throws `billing_active` (409) while a paid contract is not fully canceled. It returns the statements
 * that fail the unit of work if the contract has changed since.
 */
export const contractEndCheck =
  ({ store, clock, billing: { plans, provider } }: ContractEndParts) =>
  async (organizationId: string): Promise<Write[]> => {
    const row = await store.first(findSubscription(store, { organizationId }))
    const { paid, status } = contractOf(row, { plans, provider: provider?.name ?? null, now: clock.now() })
    if (paid)
      throw new ApiError(409, 'billing_active', 'The paid contract must be fully canceled first.', {
        details: { currentState: status },
      })
    return [subscriptionIsAt(store, { organizationId, version: row?.version ?? 0 })]
  }
