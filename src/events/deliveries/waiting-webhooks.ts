/** The webhooks with waiting deliveries, due now or later. */
import { nextWaitingWebhook } from '../../../storage/events/deliveries.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** Yields to other requests after this many webhooks. */
const atOnce = 100

/** Calls back with the id of each. `slots` are the slots of the webhooks to list; null: all. */
export async function eachWaitingWebhook(
  store: Store,
  slots: string | null,
  found: (webhookId: string) => void,
): Promise<void> {
  let after = ''
  for (let count = 1; ; count += 1) {
    const next = await store.first(nextWaitingWebhook(store, { after, slots }))
    if (!next) return
    after = next.webhook_id
    found(after)
    if (count % atOnce === 0) await nextTurn()
  }
}
