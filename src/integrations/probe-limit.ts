/** How often an organization may have a provider asked: each time is a request to somebody else. Source: trust 2.10. */
import { ApiError } from '../http/errors.ts'
import { count, counter } from '../limits/counter.ts'

const probesMax = 60
const windowSeconds = 60

/** Of this process; other servers count for themselves. */
export class ProbeLimit {
  readonly #probes = counter({ name: 'probes', points: probesMax, windowSeconds })

  /** Counts one. Rejects with `rate_limited` (429) when it is one too many. */
  async admit(organizationId: string): Promise<void> {
    const { refused, seconds } = await count(this.#probes, organizationId)
    if (!refused) return
    throw new ApiError(429, 'rate_limited', 'Providers are asked too often for this organization.', undefined, seconds)
  }
}
