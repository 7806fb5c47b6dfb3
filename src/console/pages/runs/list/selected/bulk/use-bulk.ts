/** A bulk action on all runs that match a list: counts, starts and follows it. */
import { useMemo, useState } from 'react'
import type { BulkAction, NewBulkAction } from '../../../../../../runs/bulk-actions/schema.ts'
import { sent } from '../../../../../api/client.ts'
import { byKey } from '../../../../../api/console-key.ts'
import { useAction } from '../../../../../data/action.ts'
import { useApi, useRefresh } from '../../../../../data/context.ts'
import { useInterval, useReading, useResource } from '../../../../../data/resource.ts'
import { useEventStream } from '../../../../../data/use-event-stream.ts'
import { useRefreshSoon } from '../../../../../data/use-refresh-soon.ts'
import { operation } from '../../../run/cancel/key-note.tsx'
import type { RunQuery } from '../../filters/run-query.ts'

/** Polling interval of a running action without its stream. */
const everyMs = 500

export type BulkKind = NewBulkAction['action']

export function useBulk({ sort: _sort, order: _order, ...filter }: RunQuery, action: BulkKind) {
  const api = useApi()
  const refresh = useRefresh()
  const [begun, setBegun] = useState<BulkAction>()
  const id = begun?.id
  const asked = JSON.stringify(filter)
  const now = useMemo(() => Date.now(), [])
  const counted = useReading(['bulk-actions', 'matching', asked, now], () =>
    // a dry run changes nothing, so count with an action that a session may use
    sent(
      api.v1['bulk-actions'].post({
        action: 'fork',
        filter: JSON.parse(asked) as NewBulkAction['filter'],
        dryRun: true,
      }),
    ),
  )
  const start = useAction(
    async (query?: string) => {
      const body: NewBulkAction = { action, filter, ...(query && action !== 'cancel' && { query }) }
      // canceling requires an API key, as for a single run
      return action === 'cancel'
        ? byKey(api, operation, (key) => api.v1['bulk-actions'].post(body, key))
        : api.v1['bulk-actions'].post(body)
    },
    { done: setBegun, quiet: true },
  )
  const followed = useResource(
    id === undefined ? null : ['bulk-actions', id],
    (options) => api.v1['bulk-actions']({ bulkActionId: id as string }).get(options),
    { every: (bulk) => (bulk === undefined ? everyMs : null) },
  )
  // what has begun is shown at once: nobody can start it again meanwhile
  const bulk = followed.value ?? begun
  const isRunning = bulk?.state === 'running'
  const refreshSoon = useRefreshSoon(followed.refresh)
  const live = useEventStream(isRunning ? `/api/v1/actors/bulk-action/${id}/stream` : null, refreshSoon)
  useInterval(['bulk-actions', id], isRunning && live.state === 'failed' ? everyMs : null, followed.refresh)
  const stop = useAction(() => api.v1['bulk-actions']({ bulkActionId: id as string }).cancel.post(), {
    changes: [['bulk-actions']],
  })
  return {
    /** Number of matching runs; undefined until known. */
    matching: counted.value?.data.matched,
    uncounted: counted.failure,
    start,
    bulk,
    stop,
    /** Whether progress arrives by itself. */
    live: isRunning ? live : undefined,
    done: () => refresh(['runs']),
  }
}
