/** User accounts: verified addresses and password resets. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { accountRoutes } from './routes.ts'
import { pruneAccountTokens } from './tokens.ts'

export const userAccountsArea = {
  routes: accountRoutes,
  maintenance: ({ store, clock }: { store: Store; clock: Clock }) => [
    { name: 'account tokens', run: (limit) => pruneAccountTokens(store.background, clock.now(), limit) },
  ],
} satisfies Area
