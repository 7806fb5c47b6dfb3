/** Deliveries to webhooks of an Environment that nobody has taken, among the newest hundred of each webhook. */
import { type Api, sent } from '../../api/client.ts'
import { useAccess } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import type { FailedDeliveries } from './tiles.tsx'

const webhooksMax = 10
const deliveriesMax = 100

async function read(
  api: Api,
  projectId: string,
  environmentId: string,
  signal: AbortSignal,
): Promise<FailedDeliveries> {
  const webhooks = api.v1.projects({ projectId }).environments({ environmentId }).webhooks
  const fetch = { signal }
  const { data } = await sent(webhooks.get({ query: { limit: webhooksMax }, fetch }))
  const lists = await Promise.all(
    data.items.map(({ id: webhookId }) =>
      sent(webhooks({ webhookId }).deliveries.get({ query: { limit: deliveriesMax }, fetch })),
    ),
  )
  const deliveries = lists.flatMap((list) => list.data.items)
  return { failed: deliveries.filter(({ state }) => state === 'dead-letter').length, looked: deliveries.length }
}

export function useFailedDeliveries(projectId: string, environmentId: string): Resource<FailedDeliveries> {
  const { api } = useAccess()
  return useResource(
    ['deliveries', 'failed', environmentId],
    async ({ fetch: { signal } }) =>
      ({ data: await read(api, projectId, environmentId, signal), error: null, status: 200 }) as const,
  ) as Resource<FailedDeliveries>
}
