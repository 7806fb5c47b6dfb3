/** Workers: the lease protocol, and the list of workers by queue. */
import { forgetWorker, listGoneWorkers } from '../../../storage/automation/workers.ts'
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { hourMs } from '../../platform/time/durations.ts'
import { workerRoutes } from './routes.ts'

/** The time after which a silent worker is forgotten. */
const rememberedMs = hourMs

export const workersArea = {
  routes: workerRoutes,
  maintenance: ({ store: { background: store }, clock }: { store: Store; clock: Clock }) => [
    {
      name: 'workers that are gone',
      async run(limit: number) {
        const gone = await store.all(listGoneWorkers(store, { before: clock.now() - rememberedMs, limit }))
        if (gone.length > 0) await store.commit(gone.map((key) => forgetWorker(store, key)))
        return gone.length
      },
    },
  ],
} satisfies Area
