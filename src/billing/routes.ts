/** The routes of billing. Source: requirement 4.1; contract 8. */
import { Elysia } from 'elysia'
import { doc } from '../platform/http/doc.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import { OrganizationPath } from '../platform/http/paths.ts'
import { dataOf, itemsOf } from '../platform/http/schema.ts'
import { Plan } from './plans.ts'
import { BillingHeaders, CheckoutBody, PortalBody, Redirect, Subscription, UsageAnswer, UsageQuery } from './schema.ts'
import type { Billing } from './service.ts'

const visitErrors = [
  'invalid_idempotency_key',
  ['idempotency_key_reused', 422],
  'url_not_allowed',
  'provider_rate_limited',
  'provider_unavailable',
  'billing_unconfigured',
] as const

export const billingRoutes = ({ guarded, billing }: { guarded: Guarded; billing: Billing }) =>
  new Elysia({ name: 'billing', prefix: '/api/v1', tags: ['Billing'] })
    .use(guarded)
    .get('/billing/plans', () => ({ data: { items: [...billing.plans()] } }), {
      permission: 'billing:read',
      response: { 200: itemsOf(Plan) },
      detail: doc('listPlans', 'List plans', 'The cheapest first. The plan of price zero requires no contract.'),
    })
    .post(
      '/organizations/:organizationIdOrSlug/billing/checkout',
      ({ caller, body, request, set, requestId, record }) =>
        billing.checkout({ request, set, requestId, record }, caller, body),
      {
        permission: 'billing:manage',
        resource: 'checkout',
        csrfInBody: true,
        params: OrganizationPath,
        headers: BillingHeaders,
        body: CheckoutBody,
        response: { 200: dataOf(Redirect) },
        errors: [...visitErrors, 'plan_not_found', 'contract_active'],
        detail: doc(
          'createCheckout',
          'Start a checkout',
          'Returns the URL to send the browser to. The contract starts when the provider has been paid. An organization has ' +
            'one contract; while it is active, use the portal to change it.',
        ),
      },
    )
    .post(
      '/organizations/:organizationIdOrSlug/billing/portal',
      ({ caller, body, request, set, requestId, record }) =>
        billing.portal({ request, set, requestId, record }, caller, body),
      {
        permission: 'billing:manage',
        resource: 'portal',
        csrfInBody: true,
        params: OrganizationPath,
        headers: BillingHeaders,
        body: PortalBody,
        response: { 200: dataOf(Redirect) },
        errors: [...visitErrors, 'no_contract'],
        detail: doc(
          'createPortal',
          'Open the billing portal',
          'Returns the URL to send the browser to, for changing the plan or the payment method, or canceling.',
        ),
      },
    )
    .get(
      '/organizations/:organizationIdOrSlug/billing/subscription',
      async ({ caller }) => ({ data: await billing.subscription(caller) }),
      {
        permission: 'billing:read',
        params: OrganizationPath,
        response: { 200: dataOf(Subscription) },
        detail: doc(
          'getSubscription',
          'Get the subscription',
          'Without a contract the plan of price zero, `active`; after the end of one the same plan, `canceled`.',
        ),
      },
    )
    .get(
      '/organizations/:organizationIdOrSlug/billing/usage',
      async ({ caller, query: { by, period } }) => ({ data: await billing.usage(caller, period, by) }),
      {
        permission: 'billing:read',
        params: OrganizationPath,
        query: UsageQuery,
        response: { 200: dataOf(UsageAnswer) },
        detail: doc(
          'getUsage',
          'Get the usage',
          'Of the current period, or of the one that began then; without a contract that is the calendar month in UTC. ' +
            'With `by` what each Project or Agent has used of it.',
        ),
      },
    )
