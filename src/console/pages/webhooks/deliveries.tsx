/** The deliveries of a webhook, newest first, as they go; one of them with its attempts. */
import { useState } from 'react'
import type { Delivery } from '../../../webhooks/deliveries/schema.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useRefreshEvery } from '../../data/resource.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds } from '../../use-place.ts'
import { outcomeOf } from './attempts.tsx'
import { Countdown } from './countdown.tsx'
import { DeliveryDetails } from './delivery-details.tsx'

/** Where something is under way, and where only new ones may come. */
const refreshMs = { busy: 2_000, quiet: 10_000 }
/** What is due later than this is not looked for every two seconds. */
const soonMs = 30_000

const isBusy = ({ state, nextAttemptAt }: Delivery) =>
  state === 'pending' ||
  state === 'in-flight' ||
  (state === 'retrying' && nextAttemptAt !== null && Date.parse(nextAttemptAt) - Date.now() < soonMs)

export function Deliveries({ webhookId }: { webhookId: string }) {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const [looked, setLooked] = useState<Delivery>()
  const { deliveries } = api.v1.projects({ projectId }).environments({ environmentId }).webhooks({ webhookId })
  const pages = usePages(
    ['webhooks', environmentId, webhookId, 'deliveries'],
    (options, query) => deliveries.get({ ...options, query }),
    20,
  )
  const { items = [], refresh } = pages
  useRefreshEvery(items.some(isBusy) ? refreshMs.busy : refreshMs.quiet, refresh)
  // what was looked at may have moved on; without a page that has it, it stays as it was seen
  const shown = looked && (items.find(({ deliveryId }) => deliveryId === looked.deliveryId) ?? looked)
  return (
    <>
      <DataTable
        label="deliveries"
        pages={pages}
        keyOf={({ deliveryId }) => deliveryId}
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
            title: 'Last answer',
            cell: ({ lastAttempt }) => (lastAttempt ? outcomeOf(lastAttempt) : <span className="faint">–</span>),
          },
          {
            title: 'Next attempt',
            cell: ({ nextAttemptAt }) =>
              nextAttemptAt ? <Countdown to={nextAttemptAt} /> : <span className="faint">–</span>,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Details',
            cell: (delivery) => (
              <Button small aria-label={`Look at delivery ${delivery.deliveryId}`} onClick={() => setLooked(delivery)}>
                Look
              </Button>
            ),
          },
        ]}
        empty={
          <Empty icon="inbox" title="No deliveries yet">
            As soon as something of its kinds happens in this Environment, it is posted.
          </Empty>
        }
      />
      <Dialog title="Delivery" shape="wide" open={shown !== undefined} onClose={() => setLooked(undefined)}>
        {shown && <DeliveryDetails delivery={shown} close={() => setLooked(undefined)} />}
      </Dialog>
    </>
  )
}
