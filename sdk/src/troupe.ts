/** The client. */
import { settingsOf, type TroupeOptions } from './client/options.ts'
import { callBy } from './client/resource.ts'
import { Transport } from './client/transport.ts'
import { Resources } from './generated/resources.ts'
import { type Runs, runsOf } from './runs/runs.ts'
import { verifyWebhook } from './webhooks/verify.ts'
import { Worker, type WorkerOptions } from './workers/worker.ts'

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

  /**
   * Begins to carry out operations whose handler is `{ type: 'worker', queue }`, until it is stopped: by `stop()`, or by
   * SIGTERM, and then calls under way end first. The key needs `workers:serve`, and `projects:list` and `projects:get` where
   * the Environment is given by its names.
   *
   *     const worker = troupe.worker({
   *       environment: 'shop/production', queue: 'billing',
   *       operations: { 'orders.charge': async (input: { amount: number }, { idempotencyKey }) => charge(input, idempotencyKey) },
   *     })
   */
  worker(options: WorkerOptions): Worker {
    return new Worker(this, options)
  }
}
