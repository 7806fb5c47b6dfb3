/** Invitations to organizations, and how they are accepted. */
import type { Area } from '../../platform/area.ts'
import { invitationRoutes } from './routes.ts'

export const invitationsArea = { routes: invitationRoutes } satisfies Area
