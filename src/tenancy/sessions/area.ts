/** Sessions: signing in and out. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { sessionRoutes } from './routes.ts'
import { pruneSessions } from './service.ts'

export const sessionsArea = {
  routes: sessionRoutes,
  maintenance: ({ store, clock }: { store: Store; clock: Clock }) => [
    { name: 'sessions', run: (limit) => pruneSessions(store.background, clock.now(), limit) },
  ],
} satisfies Area
