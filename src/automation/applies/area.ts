/** Applies of manifests. */
import type { Area } from '../../platform/area.ts'
import type { ApplyWork } from './apply-work.ts'
import { applyRoutes } from './routes.ts'

export const appliesArea = {
  routes: applyRoutes,
  maintenance: ({ applyWork }: { applyWork: ApplyWork }) => [
    { name: 'Applies that wait for a Deployment', everyMs: 30_000, run: (limit: number) => applyWork.look(limit) },
  ],
} satisfies Area
