/** Limits how often an organization can probe providers: each probe is a request to a third party. Source: trust 2.10. */
import { ApiError } from '../../platform/http/answers/errors.ts'
import { counter, refusedFor } from '../../platform/limits/counter.ts'

const probesMax = 60
const windowSeconds = 60
const message =
  `Providers are asked at most ${probesMax} times a minute for one organization: at each registration, rotation and ` +
  'verification of an integration. TROUPE_RATE_LIMIT_PER_MINUTE=0 takes this limit away, with the others.'

/** Counts in this process; other servers count separately. */
export class ProbeLimit {
  readonly #probes = counter({ name: 'probes', points: probesMax, windowSeconds })

  /** @param isOn whether requests are limited at all */
  constructor(private readonly isOn: boolean) {}

  /** Counts one. Rejects with `rate_limited` (429) when it is one too many. */
  async admit(organizationId: string): Promise<void> {
    if (!this.isOn) return
    const seconds = await refusedFor(this.#probes, organizationId)
    if (seconds > 0) throw new ApiError(429, 'rate_limited', message, { retryAfterSeconds: seconds })
  }
}
