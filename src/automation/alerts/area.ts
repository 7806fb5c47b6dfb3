/** Alert rules, and their periodic evaluation. */
import type { Area } from '../../platform/area.ts'
import { alertRoutes } from './routes.ts'
import type { AlertWork } from './watch.ts'

const minute = 60_000

export const alertsArea = {
  routes: alertRoutes,
  maintenance: ({ alertWork }: { alertWork: AlertWork }) => [
    { name: 'alert rules', everyMs: minute, run: (limit) => alertWork.evaluateSome(limit) },
  ],
} satisfies Area
