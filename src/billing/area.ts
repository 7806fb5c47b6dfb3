/** All of billing over HTTP. */
import type { AnyElysia } from 'elysia'
import type { Store } from '../../storage/store.ts'
import type { Idempotency } from '../platform/http/changes/idempotency.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actors } from '../runtime/actors.ts'
import { embeddedRoutes } from './embedded/routes.ts'
import type { OpenBilling } from './open.ts'
import { billingRoutes } from './routes.ts'
import { Billing } from './service.ts'
import { stripeRoutes } from './stripe/routes.ts'

export interface BillingAreaParts {
  guarded: Guarded
  store: Store
  clock: Clock
  actors: Actors
  idempotency: Idempotency
  billing: OpenBilling
  /** Of the streams that are open. */
  streams: { openOf(organizationId: string): number }
  systemAgents: { find(agentId: string): { name: string } | undefined }
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
}

export function billingArea({ guarded, billing, ...parts }: BillingAreaParts): AnyElysia[] {
  const { plans, provider, terms, usage, work, tickets, inbox } = billing
  return [
    billingRoutes({ guarded, billing: new Billing({ ...parts, plans, provider, terms, usage, work }) }),
    stripeRoutes({ guarded, inbox }),
    embeddedRoutes({ ...parts, guarded, plans, work, tickets }),
  ]
}
