/** Deliveries of a webhook, newest first. */
import { useSearch } from 'wouter'
import type { Delivery } from '../../../events/deliveries/schema.ts'
import { useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { outcomeOf } from './attempts.tsx'
import { DeliveryDialog, isBusy } from './delivery-details.tsx'
import { DeliveryFilters, useDeliveryQuery } from './delivery-filters.tsx'

/** Polling intervals with and without pending deliveries. */
const refreshMs = { busy: 2_000, quiet: 10_000 }

export function Deliveries({ webhookId }: { webhookId: string }) {
  const place = usePlace()
  const search = useSearch()
  const { environmentId, environment } = useEnvironment()
  const { values, change } = useAddressQuery('delivery')
  const narrowing = useDeliveryQuery()
  const { query, isNarrowed } = narrowing
  const { deliveries } = environment.webhooks({ webhookId })
  const pages = usePages(
    ['webhooks', environmentId, webhookId, 'deliveries', 'list', JSON.stringify(query)],
    (options, page) => deliveries.get({ ...options, query: { ...page, ...query } }),
    { limit: 20, every: (deliveries) => (deliveries?.some(isBusy) ? refreshMs.busy : refreshMs.quiet) },
  )
  const { items = [] } = pages
  return (
    <>
      <DeliveryFilters {...narrowing} />
      <DataTable
        label="deliveries"
        pages={pages}
        keyOf={({ deliveryId }) => deliveryId}
        href={({ deliveryId }) => `${at(place, 'webhooks', webhookId)}?${withDelivery(search, deliveryId)}`}
        columns={[
          {
            title: 'Event',
            cell: ({ eventType, replayOf }) => (
              <span className="row">
                <code>{eventType}</code>
                {replayOf && <Tag>replay</Tag>}
              </span>
            ),
          },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { title: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
          {
            title: 'Last response',
            cell: ({ lastAttempt }) => (lastAttempt ? outcomeOf(lastAttempt) : <span className="faint none">–</span>),
          },
          {
            title: 'Next attempt',
            cell: ({ nextAttemptAt }) =>
              nextAttemptAt ? <Countdown to={nextAttemptAt} /> : <span className="faint none">–</span>,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          isNarrowed ? (
            <Empty icon="inbox" title="No deliveries match">
              Change the filters to see other deliveries.
            </Empty>
          ) : (
            <Empty icon="inbox" title="No deliveries yet">
              Events of the selected types are delivered at once. Send a test event to try it.
            </Empty>
          )
        }
      />
      {values.delivery && (
        <DeliveryDialog
          key={values.delivery}
          webhookId={webhookId}
          deliveryId={values.delivery}
          known={items.find(({ deliveryId }: Delivery) => deliveryId === values.delivery)}
          open={(delivery) => change({ delivery })}
          onClose={() => change({ delivery: '' })}
        />
      )}
    </>
  )
}

function withDelivery(search: string, deliveryId: string): string {
  const query = new URLSearchParams(search)
  query.set('delivery', deliveryId)
  return query.toString()
}
