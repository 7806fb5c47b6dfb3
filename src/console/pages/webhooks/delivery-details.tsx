/** One delivery: attempts, retry, replay. */
import { type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import type { Delivery } from '../../../events/deliveries/schema.ts'
import { useAction } from '../../data/action.ts'
import { useResource } from '../../data/resource.ts'
import { actorAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { Attempts } from './attempts.tsx'

/** Attempts due later than this do not poll. */
const soonMs = 30_000
const busyMs = 2_000

/** Whether a change is expected soon. */
export const isBusy = ({ state, nextAttemptAt }: Delivery) =>
  state === 'pending' ||
  state === 'in-flight' ||
  (state === 'retrying' && nextAttemptAt !== null && Date.parse(nextAttemptAt) - Date.now() < soonMs)

interface DeliveryDialogProps {
  webhookId: string
  deliveryId: string
  /** The list's copy, until it is loaded. */
  known: Delivery | undefined
  /** Opens another delivery. */
  open: (deliveryId: string) => void
  onClose: () => void
}

export function DeliveryDialog({ webhookId, deliveryId, known, open, onClose }: DeliveryDialogProps) {
  const { environmentId, environment } = useEnvironment()
  const read = useResource(
    ['webhooks', environmentId, webhookId, 'deliveries', deliveryId],
    (options) => environment.webhooks({ webhookId }).deliveries({ deliveryId }).get(options),
    {
      every: (read = known) => (read && isBusy(read) ? busyMs : null),
    },
  )
  const delivery = read.value ?? known
  return (
    <Dialog title="Delivery" shape="wide" open onClose={onClose}>
      <Shown resource={{ ...read, value: delivery }}>
        {(delivery) => <DeliveryDetails delivery={delivery} open={open} />}
      </Shown>
    </Dialog>
  )
}

/** Renewed for each replay. */
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function DeliveryDetails({ delivery, open }: { delivery: Delivery; open: (deliveryId: string) => void }) {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const { deliveryId, webhookId, eventId, eventType, state, replayOf, createdAt, deliveredAt, expiresAt } = delivery
  const ofDelivery = environment.webhooks({ webhookId }).deliveries({ deliveryId })
  const changes = [['webhooks', environmentId, webhookId]]
  const key = useRef(newKey())
  const retry = useAction(() => ofDelivery.retry.post(), { success: 'Delivery queued', changes })
  const replay = useAction(() => ofDelivery.replays.post({}, { headers: { 'idempotency-key': key.current } }), {
    success: 'New delivery queued',
    changes,
    done: ({ deliveryId }) => {
      key.current = newKey()
      open(deliveryId)
    },
  })
  const facts: [string, ReactNode][] = [
    ['Delivery', <Id key="id" id={deliveryId} />],
    ['Event', <Id key="event" id={eventId} />],
    ['Created', <Time key="created" at={createdAt} />],
  ]
  if (replayOf) facts.push(['Replay of', <Id key="replay" id={replayOf} />])
  if (deliveredAt) facts.push(['Delivered', <Time key="delivered" at={deliveredAt} />])
  facts.push(['Expires', <Time key="expires" at={expiresAt} />])
  return (
    <div className="stack">
      <div className="row">
        <code>{eventType}</code>
        <StateBadge state={state} />
        <Link href={actorAt(place, 'delivery', deliveryId)}>Statechart</Link>
      </div>
      {/* above the attempts, whose responses can be long */}
      <div className="form-actions">
        {state === 'dead-letter' && (
          <Button
            needs="webhooks:retry-dead"
            tone="primary"
            icon="refresh"
            pending={retry.pending}
            onClick={() => retry.run()}
          >
            Retry
          </Button>
        )}
        <Button needs="webhooks:replay" icon="copy" pending={replay.pending} onClick={() => replay.run()}>
          Replay as a new delivery
        </Button>
      </div>
      <Facts facts={facts} />
      <Attempts delivery={delivery} />
    </div>
  )
}
