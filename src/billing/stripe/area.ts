/** Events from Stripe. */
import type { Area } from '../../platform/area.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { OpenBilling } from '../open-billing.ts'
import { stripeRoutes } from './routes.ts'

interface StripeAreaParts {
  guarded: Guarded
  billing: Pick<OpenBilling, 'inbox'>
}

export const stripeArea = {
  routes: ({ guarded, billing: { inbox } }: StripeAreaParts) => stripeRoutes({ guarded, inbox }),
  maintenance: ({ billing: { inbox } }: Omit<StripeAreaParts, 'guarded'>) =>
    inbox ? [{ name: 'billing events', run: (limit: number) => inbox.prune(limit) }] : [],
} satisfies Area
