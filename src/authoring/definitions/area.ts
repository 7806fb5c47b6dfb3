/** Definitions of a Project, and their revisions. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import { removeDeletedDefinitions } from './removal.ts'
import { definitionRoutes } from './routes.ts'

export const definitionsArea = {
  routes: definitionRoutes,
  maintenance: ({ store: { background: store } }: { store: Store }) => [
    { name: 'deleted Definitions', everyMs: minuteMs, run: (limit) => removeDeletedDefinitions(store, limit) },
  ],
} satisfies Area
