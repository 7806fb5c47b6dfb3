/** The audit log of an organization. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { AuditRetention } from './retention.ts'
import { auditRoutes } from './routes.ts'

interface AuditMaintenanceParts {
  store: Store
  clock: Clock
  auditRetentionDays: number
}

export const auditArea = {
  routes: auditRoutes,
  maintenance: ({ store, clock, auditRetentionDays: days }: AuditMaintenanceParts) => {
    const retention = new AuditRetention({ store: store.background, clock, days })
    return [
      {
        name: 'audit events',
        run: (limit) => retention.prune(limit),
        overdueSince: () => retention.overdueSince(),
      },
    ]
  },
} satisfies Area
