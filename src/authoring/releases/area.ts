/** Releases: what a Project can deploy, fixed once it is published. */
import type { Area } from '../../platform/area.ts'
import { releaseRoutes } from './routes.ts'

export const releasesArea = { routes: releaseRoutes } satisfies Area
