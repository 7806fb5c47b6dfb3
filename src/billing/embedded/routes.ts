/** The routes of the embedded provider: plain forms behind signed addresses. Source: contract 8. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findSubscription } from '../../../storage/billing/billing.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { findOrganization } from '../../../storage/tenancy/organizations.ts'
import { ApiError, notFound } from '../../platform/http/answers/errors.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { receiveBytes } from '../../platform/http/body/arrival.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { changedFields } from '../../platform/http/changes/changed-fields.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { CallerLater } from '../../tenancy/authority/later.ts'
import { subscriptionAddress } from '../actor.ts'
import { type Contract, contractOf } from '../contract.ts'
import type { Plans } from '../plans.ts'
import { presentContract } from '../schema.ts'
import type { SubscriptionWork } from '../subscription-work.ts'
import { pagePolicy } from './html.ts'
import { checkoutPage, gonePage, type PageFacts, portalPage } from './pages.ts'
import { pagesPath } from './provider.ts'
import type { Ticket, Tickets } from './ticket.ts'

export interface EmbeddedParts {
  guarded: Guarded
  store: Store
  clock: Clock
  actors: Actors
  plans: Plans
  work: SubscriptionWork
  audit: Pick<AuditSink, 'write'>
  /** The client's address. */
  addressOf(request: Request): string | undefined
  /** null: another provider is configured. */
  tickets: Tickets | null
  callerLater: CallerLater
  consoleUrl(): string
}

const formBytesMax = 4 * 1024
const detail = { hide: true }
const TicketPath = Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 8192 }) })
/** A click of a person in a page. */
interface Click extends RequestId {
  request: Request
}
type Settings = { headers: Record<string, unknown>; status?: number | string }
const moves = ['changePlan', 'cancelAtPeriodEnd', 'resume', 'cancel']

export function embeddedRoutes(parts: EmbeddedParts) {
  const { guarded, store, clock, actors, plans, work, audit, addressOf, tickets, callerLater, consoleUrl } = parts

  /** Undefined for an invalid ticket, and once its holder may no longer manage the billing. */
  async function read(token: string): Promise<Ticket | undefined> {
    const ticket = await tickets?.read(token)
    const holder = ticket && (await callerLater(ticket.by, ticket.organizationId))
    return holder && may(holder, 'billing:manage', null) ? ticket : undefined
  }

  /** The event of a click; undefined for one that the page does not have. */
  function eventOf(ticket: Ticket, clicked: URLSearchParams) {
    const action = clicked.get('action') ?? ''
    const wanted = ticket.to === 'checkout' ? ticket.planKey : clicked.get('plan')
    const plan = plans.find(wanted)
    const named = plan && plan.price.amount > 0 && { planKey: plan.planKey, interval: plan.price.interval }
    if (ticket.to === 'checkout') return action === 'pay' && named ? { type: 'pay', ...named } : undefined
    if (!moves.includes(action)) return undefined
    if (action !== 'changePlan') return { type: action }
    return named ? { type: action, ...named } : undefined
  }

  const contractFrom = (row: Parameters<typeof contractOf>[0]): Contract =>
    contractOf(row, { plans, provider: 'embedded', now: clock.now() })

  async function factsOf({ organizationId }: Ticket, notice?: string): Promise<PageFacts | undefined> {
    const organization = await store.first(findOrganization(store, { id: organizationId }))
    const row = await store.first(findSubscription(store, { organizationId }))
    if (organization?.status !== 'active' || !row) return undefined
    const address = subscriptionAddress(organizationId)
    // the plan of a changed form may be unknown: checks whether the plan can be changed at all
    const tried = [...moves, 'pay'].map(async (type) => {
      const { accepted } = await actors.preview(address, { type, planKey: '', interval: 'month' })
      return accepted ? [type] : []
    })
    return {
      organizationName: organization.name,
      contract: contractFrom(row),
      possible: new Set((await Promise.all(tried)).flat()),
      plans: plans.list,
      ...(notice !== undefined && { notice }),
    }
  }

  async function show(ticket: Ticket | undefined, set: Settings, notice?: string): Promise<string> {
    set.headers['content-type'] = 'text/html; charset=utf-8'
    set.headers['content-security-policy'] = pagePolicy(consoleUrl())
    const facts = ticket && (await factsOf(ticket, notice))
    if (ticket && facts) return ticket.to === 'checkout' ? checkoutPage(ticket, facts) : portalPage(ticket, facts)
    set.status = 404
    return gonePage()
  }

  const goTo = (url: string, set: Settings): void => {
    set.status = 303
    set.headers.location = url
  }

  /** The audit line of a click, with the fields of the subscription that it changed. */
  function lineOf({ organizationId, by }: Ticket, { request, ...id }: Click, before: Contract, after: Contract): Write {
    const [was, is] = [presentContract(before), presentContract(after)]
    return audit.write({
      organizationId,
      actor: by,
      ip: addressOf(request) ?? null,
      operation: 'changeSubscription',
      resource: { type: 'subscription', id: organizationId },
      outcome: 'allowed',
      ...id,
      changed: changedFields(is, { data: is }, was),
    })
  }

  async function click(token: string, clicking: Click, set: Settings): Promise<string | undefined> {
    const { request } = clicking
    const ticket = await read(token)
    const facts = ticket && (await factsOf(ticket))
    if (!ticket || !facts) return show(undefined, set)
    const clicked = new URLSearchParams(new TextDecoder().decode(await receiveBytes(request, formBytesMax)))
    if (ticket.to === 'checkout' && clicked.get('action') === 'leave') return void goTo(ticket.cancelUrl, set)
    const event = eventOf(ticket, clicked)
    if (!event) {
      set.status = 422
      return show(ticket, set, 'This action is not available here.')
    }
    try {
      await work.send(ticket.organizationId, event, 'embedded', {
        by: ticket.by,
        writes: ({ actor: { state, context } }) => {
          const after = contractFrom({ state, context: JSON.stringify(context) })
          return [lineOf(ticket, clicking, facts.contract, after)]
        },
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      set.status = 409
      return show(ticket, set, 'This action is no longer available.')
    }
    goTo(ticket.to === 'checkout' ? ticket.successUrl : new URL(request.url).pathname, set)
    return undefined
  }

  const find = async ({ params }: Pick<Naming<typeof TicketPath>, 'params'>) => {
    if (!(await read(params.ticket))) throw notFound()
  }

  return new Elysia({ name: 'embedded-billing', prefix: pagesPath })
    .use(guarded)
    .get('/:ticket', async ({ params, set }) => show(await read(params.ticket), set), {
      publicAccess: true,
      anyQuery: true,
      params: TicketPath,
      find,
      detail,
    })
    .post(
      '/:ticket',
      async ({ params, set, request, requestId, requestIdFrom }) =>
        click(params.ticket, { request, requestId, requestIdFrom }, set),
      {
        publicAccess: true,
        anyQuery: true,
        ownBody: true,
        params: TicketPath,
        find,
        detail,
      },
    )
}
