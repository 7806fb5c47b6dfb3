/** Invitations to organizations and their acceptance. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pruneInvitations } from './invitations.ts'
import { invitationRoutes } from './routes.ts'

export const invitationsArea = {
  routes: invitationRoutes,
  maintenance: ({ store, clock }: { store: Store; clock: Clock }) => [
    { name: 'invitations', run: (limit) => pruneInvitations(store.background, clock.now(), limit) },
  ],
} satisfies Area
