/** Credentials of an organization for providers of models. */
import type { Area } from '../../platform/area.ts'
import { credentialRoutes } from './routes.ts'

export const credentialsArea = { routes: credentialRoutes } satisfies Area
