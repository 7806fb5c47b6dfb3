/** The operations of the wing `billing`. */
import { ofOrganization, type Row } from './rows.ts'

// no checkout was ever created
const subscriptionActor: Row = { level: 'run', path: ({ organization: id }) => ({ id }), missing: true }

export const billing: Record<string, Row> = {
  listPlans: { level: 'catalogue' },
  // without a key: 400 for authorized callers
  createCheckout: {
    ...ofOrganization,
    body: () => ({ planKey: 'pro', successUrl: 'http://localhost/billing', cancelUrl: 'http://localhost/billing' }),
  },
  createPortal: { ...ofOrganization, body: () => ({ returnUrl: 'http://localhost/billing' }) },
  getSubscription: ofOrganization,
  getUsage: ofOrganization,
  getSubscriptionActor: subscriptionActor,
  streamSubscriptionActor: subscriptionActor,
  previewSubscriptionEvent: { ...subscriptionActor, body: () => ({ event: 'reported' }) },
  verifySubscriptionActor: subscriptionActor,
}
