/** Plans, contracts and usage. */
import type { Area } from '../platform/area.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import type { OpenBilling } from './open-billing.ts'
import { billingRoutes } from './routes.ts'
import { Billing, type BillingParts } from './service.ts'

type Opened = 'plans' | 'provider' | 'terms' | 'usage' | 'work'

interface BillingAreaParts extends Omit<BillingParts, Opened> {
  guarded: Guarded
  billing: Pick<OpenBilling, Opened>
}

export const billingArea = {
  routes: ({ guarded, billing, ...parts }: BillingAreaParts) => {
    const { plans, provider, terms, usage, work } = billing
    return billingRoutes({ guarded, billing: new Billing({ ...parts, plans, provider, terms, usage, work }) })
  },
} satisfies Area
