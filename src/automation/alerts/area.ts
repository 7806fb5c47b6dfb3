/** Alert rules, and their periodic evaluation. */
import { listWatchedRules } from '../../../storage/automation/alerts.ts'
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import { JournalRetention } from '../../runtime/removal.ts'
import { alertRoutes } from './routes.ts'
import type { AlertWork } from './watch.ts'

interface AlertMaintenanceParts {
  alertWork: AlertWork
  store: Store
  clock: Clock
  eventRetentionDays: number
}

export const alertsArea = {
  routes: alertRoutes,
  maintenance: ({ alertWork, store, clock, eventRetentionDays: days }: AlertMaintenanceParts) => {
    const journals = new JournalRetention(
      { store: store.background, clock, days },
      { kind: 'alert', list: listWatchedRules },
    )
    return [
      { name: 'alert rules', everyMs: minuteMs, run: (limit) => alertWork.evaluateSome(limit) },
      { name: 'journals of alerts', run: (limit) => journals.prune(limit) },
    ]
  },
} satisfies Area
