/** Bulk actions, and the removal of ended ones. */
import type { Area } from '../../platform/area.ts'
import type { BulkWork } from './bulk-work.ts'
import { bulkActionRoutes } from './routes.ts'

export const bulkActionsArea = {
  routes: bulkActionRoutes,
  maintenance: ({ bulkWork }: { bulkWork: BulkWork }) => [
    { name: 'left pieces of bulk actions', run: (limit) => bulkWork.pruneLeft(limit) },
    { name: 'ended bulk actions', run: (limit) => bulkWork.pruneEnded(limit) },
  ],
} satisfies Area
