import type { Tenant } from '../../billing/usage/world.ts'
import { type Place, receiver, statuses } from '../../events/webhooks/world.ts'
import { eventually } from '../../support/process.ts'
import { dataOf } from '../../support/world/replies.ts'

/** A webhook whose endpoint answers 410, with an event for it: the server disables it. */
export async function disabledWebhook(client: Tenant['client'], place: Place): Promise<string> {
  const gone = receiver(statuses(410))
  const body = { endpointUrl: `${gone.url}?token=secret`, eventTypes: ['deployment.queued'] }
  const { id } = dataOf(await client.post(`${place.path}/webhooks`, body))
  await disable(client, place, id)
  gone.stop()
  return id
}
export async function disable(client: Tenant['client'], place: Place, id: string) {
  await place.emit()
  await eventually('a disabled webhook', async () => !dataOf(await client.get(`${place.path}/webhooks/${id}`)).enabled)
}
