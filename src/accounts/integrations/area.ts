/** Integrations of an organization: the OAuth clients that it has at providers. */
import type { Area } from '../../platform/area.ts'
import { integrationRoutes } from './routes.ts'

export const integrationsArea = { routes: integrationRoutes } satisfies Area
