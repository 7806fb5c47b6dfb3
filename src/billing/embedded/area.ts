/** The pages of the embedded payment provider. */
import type { Area } from '../../platform/area.ts'
import type { OpenBilling } from '../open-billing.ts'
import { type EmbeddedParts, embeddedRoutes } from './routes.ts'

type Opened = 'plans' | 'work' | 'tickets'

interface EmbeddedAreaParts extends Omit<EmbeddedParts, Opened> {
  billing: Pick<OpenBilling, Opened>
}

export const embeddedBillingArea = {
  routes: ({ billing: { plans, work, tickets }, ...parts }: EmbeddedAreaParts) =>
    embeddedRoutes({ ...parts, plans, work, tickets }),
} satisfies Area
