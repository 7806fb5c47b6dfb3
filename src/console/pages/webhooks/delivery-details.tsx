/** One delivery: its attempts, and what one can do about it. */
import { useRef } from 'react'
import { Link } from 'wouter'
import type { Delivery } from '../../../webhooks/deliveries/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { actorAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { Facts } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { Attempts } from './attempts.tsx'

/** New for each replay that is wanted. */
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export function DeliveryDetails({ delivery, close }: { delivery: Delivery; close: () => void }) {
  const api = useApi()
  const place = usePlace()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const { deliveryId, webhookId, eventId, eventType, state, replayOf, createdAt, expiresAt } = delivery
  const ofDelivery = api.v1
    .projects({ projectId })
    .environments({ environmentId })
    .webhooks({ webhookId })
    .deliveries({ deliveryId })
  const changes = [['webhooks', environmentId, webhookId]]
  const key = useRef(newKey())
  const retry = useAction(() => ofDelivery.retry.post(), { success: 'It is tried again', changes })
  const replay = useAction(() => ofDelivery.replays.post({}, { headers: { 'idempotency-key': key.current } }), {
    success: 'A new delivery of the same event is on its way',
    changes,
    done: () => {
      key.current = newKey()
      close()
    },
  })
  return (
    <div className="stack">
      <div className="row">
        <code>{eventType}</code>
        <StateBadge state={state} />
        <Link href={actorAt(place, 'delivery', deliveryId)}>On its statechart</Link>
      </div>
      <Facts
        facts={[
          ['Delivery', <Id key="id" id={deliveryId} />],
          ['Event', <Id key="event" id={eventId} />],
          ['Replay of', replayOf ? <Id key="replay" id={replayOf} /> : '–'],
          ['Created', <Time key="created" at={createdAt} />],
          ['Kept until', <Time key="expires" at={expiresAt} />],
        ]}
      />
      <Attempts delivery={delivery} />
      <footer className="form-actions">
        {state === 'dead-letter' && (
          <Button tone="primary" icon="refresh" pending={retry.pending} onClick={() => retry.run()}>
            Retry
          </Button>
        )}
        <Button icon="refresh" pending={replay.pending} onClick={() => replay.run()}>
          Replay as a new delivery
        </Button>
      </footer>
    </div>
  )
}
