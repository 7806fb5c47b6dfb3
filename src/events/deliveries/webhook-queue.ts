const inFlightMax = 5

/** The state of one webhook with deliveries in flight or due. */
export interface WebhookQueue {
  /** undefined before the first query. */
  organizationId: string | undefined
  /** Due deliveries, the longest due first. */
  window: string[]
  inFlight: number
  /** Deliveries may have become due since the last query. */
  hinted: boolean
}

export const newQueue = (): WebhookQueue => ({ organizationId: undefined, window: [], inFlight: 0, hinted: false })

/** How many more deliveries of the webhook may be in flight, beside those here and `elsewhere`. */
export const roomIn = ({ inFlight }: WebhookQueue, elsewhere = 0): number =>
  Math.max(0, inFlightMax - inFlight - elsewhere)

export const hasRoom = (queue: WebhookQueue, elsewhere = 0): boolean => roomIn(queue, elsewhere) > 0
