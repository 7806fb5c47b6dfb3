/** The pages of the embedded payment provider. */
import type { Area } from '../../platform/area.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { ApiKeyCredentials } from '../../tenancy/authority/api-keys.ts'
import { callerLater } from '../../tenancy/authority/later.ts'
import type { OpenBilling } from '../open-billing.ts'
import { type EmbeddedParts, embeddedRoutes } from './routes.ts'

type Opened = 'plans' | 'work' | 'tickets'

interface EmbeddedAreaParts extends Omit<EmbeddedParts, Opened | 'callerLater'> {
  billing: Pick<OpenBilling, Opened>
  logger: Logger
}

export const embeddedBillingArea = {
  routes: ({ billing: { plans, work, tickets }, logger, ...parts }: EmbeddedAreaParts) => {
    const { store, clock } = parts
    const later = callerLater({ store, clock, apiKeys: new ApiKeyCredentials({ store, clock, logger }) })
    return embeddedRoutes({ ...parts, callerLater: later, plans, work, tickets })
  },
} satisfies Area
