/** Consents: how accounts are connected, from the start to the callback. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { oauthRoutes } from './routes.ts'
import { pruneUsedFlows } from './used-flows.ts'

export const oauthArea = {
  routes: oauthRoutes,
  maintenance: ({ store, clock }: { store: Store; clock: Clock }) => [
    { name: 'consent flows', run: (limit) => pruneUsedFlows(store.background, clock.now(), limit) },
  ],
} satisfies Area
