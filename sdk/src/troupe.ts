/** The client. */
import { settingsOf, type TroupeOptions } from './client/options.ts'
import { callBy } from './client/resource.ts'
import { Transport } from './client/transport.ts'
import { Resources } from './generated/resources.ts'
import { type Runs, runsOf } from './runs/runs.ts'
import { verifyWebhook } from './webhooks/verify.ts'

/**
 * A client of one server. Every operation of the API is a method of a resource: `troupe.projects.create(…)`,
 * `troupe.webhooks.listDeliveries(…)`. What is lost or refused for a while is sent again, with an Idempotency-Key of its own.
 *
 *     const troupe = new Troupe({ baseUrl: 'https://troupe.example.com', apiKey: process.env.TROUPE_KEY })
 *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
 */
export class Troupe extends Resources {
  /** Deliveries of webhooks, as a receiver needs them; without a client. */
  static readonly webhooks = { verify: verifyWebhook }

  readonly runs: Runs
  /** Where the server is. */
  readonly baseUrl: string

  constructor(options: TroupeOptions = {}) {
    const settings = settingsOf(options)
    const call = callBy(new Transport(settings))
    super(call)
    this.baseUrl = settings.baseUrl
    this.runs = runsOf(call, this)
  }
}
