/** The webhooks with waiting deliveries, due now or later. */
import { listWaitingWebhooks } from '../../../storage/events/deliveries.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** Yields to other requests after this many webhooks. */
const atOnce = 100

/** Calls back with the id of each, whichever server owns its slot. */
export async function eachWaitingWebhook(store: Store, found: (webhookId: string) => void): Promise<void> {
  for (let after = ''; ; await nextTurn()) {
    const some = await store.all(listWaitingWebhooks(store, { after, limit: atOnce }))
    for (const { webhook_id } of some) found(webhook_id)
    const last = some.at(-1)
    if (last === undefined || some.length < atOnce) return
    after = last.webhook_id
  }
}
