/** Consents: how accounts are connected, from the start to the callback. */
import type { Area } from '../../platform/area.ts'
import { oauthRoutes } from './routes.ts'

export const oauthArea = { routes: oauthRoutes } satisfies Area
