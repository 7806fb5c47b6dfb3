/** Programs, such as the command line, that get an API key by a person's consent in the console. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { deviceAuthorizationRoutes } from './routes.ts'
import { pruneDeviceAuthorizations } from './service.ts'

export const deviceAuthorizationsArea = {
  routes: deviceAuthorizationRoutes,
  maintenance: ({ store, clock }: { store: Store; clock: Clock }) => [
    {
      name: 'device authorizations',
      run: (limit) => pruneDeviceAuthorizations(store.background, clock.now(), limit),
    },
  ],
} satisfies Area
