/** The statechart of a subscription, in words. Source: contract 8. */
import { subscriptionMachine } from '../../../../machines/subscription.ts'
import type { Chart } from './chart.ts'

export const subscriptionChart: Chart = {
  title: 'Subscription',
  about:
    "An organization's contract with the operator; its id is the organization's. `none` is before the first contract, and " +
    'counts as the plan of price zero. With a payment provider outside, the provider decides: what it reports leads to ' +
    'asking it how things stand, and its answer, `fetched`, is written; it is also asked once a day, so that a lost report ' +
    'is made good. The embedded provider, for development, has nobody to ask: there `pay`, `changePlan`, ' +
    '`cancelAtPeriodEnd`, `resume` and `cancel` come from its pages, and periods roll over by a deadline.',
  machine: subscriptionMachine,
  input: { provider: 'stripe' },
  events: {
    create: { by: 'server', says: 'Something is asked of the billing of an organization for the first time.' },
    checkout: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/checkout`.' },
    openPortal: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/portal`.' },
    reported: {
      by: 'report',
      says: 'The payment provider says that something has happened: `POST /api/billing/stripe/webhook`.',
    },
    fetched: { by: 'report', says: 'How things stand at the payment provider, which the server has asked.' },
    pay: { by: 'command', says: 'Somebody pays on the checkout page of the embedded provider.' },
    changePlan: { by: 'command', says: 'Somebody takes another plan in the portal of the embedded provider.' },
    cancelAtPeriodEnd: {
      by: 'command',
      says: 'Somebody ends the contract with its period, in the portal of the embedded provider.',
    },
    resume: { by: 'command', says: 'Somebody takes that back, in the portal of the embedded provider.' },
    cancel: { by: 'command', says: 'Somebody ends the contract at once, in the portal of the embedded provider.' },
  },
  guards: {
    none: 'It is the answer to the last asking or a later one, and there is no contract.',
    trialing: 'It is the answer to the last asking or a later one, and the contract is on trial.',
    active: 'It is the answer to the last asking or a later one, and the contract runs.',
    pastDue: 'It is the answer to the last asking or a later one, and the contract runs without being paid.',
    canceled: 'It is the answer to the last asking or a later one, and the contract has ended.',
    ofThisProvider: 'The contract is with the provider of this deployment.',
    ofAnotherProvider: 'The contract is with a provider that this deployment does not have any more.',
    embedded: 'The provider is the embedded one.',
    atProvider: 'The provider is outside.',
    endPlanned: 'The provider is the embedded one, and the contract is to end with its period.',
    noEndPlanned: 'The provider is the embedded one, and the contract is to go on.',
    anotherPlan: 'The provider is the embedded one, and the plan is another one.',
  },
  deadlines: {
    checkoutOver: { limits: 'A checkout; then the provider is asked once, in case its report was lost.' },
    due: {
      limits: 'The period. With a provider outside, the next asking: a day at the latest, an hour at the soonest.',
      varies: true,
    },
  },
  effects: {
    refetch: 'Asks the provider how things stand, again and again until it answers, and tells the subscription.',
  },
}
