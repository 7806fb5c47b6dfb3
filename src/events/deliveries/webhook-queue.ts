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

/** Whether another delivery of the webhook may be in flight, beside those here and `elsewhere`. */
export const hasRoom = ({ inFlight }: WebhookQueue, elsewhere = 0): boolean => inFlight + elsewhere < inFlightMax
