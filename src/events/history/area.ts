/** The history of an Environment: its events, as pages and as a stream. */
import type { Area } from '../../platform/area.ts'
import type { EventRetention } from './retention.ts'
import { eventRoutes } from './routes.ts'

export const eventsArea = {
  routes: eventRoutes,
  maintenance: ({ eventRetention }: { eventRetention: EventRetention }) => [
    {
      name: 'events',
      run: (limit) => eventRetention.prune(limit),
      overdueSince: () => eventRetention.overdueSince(),
    },
  ],
} satisfies Area
