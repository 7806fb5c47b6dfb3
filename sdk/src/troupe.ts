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
 * `troupe.webhooks.listDeliveries(…)`. Lost and temporarily refused requests are retried, with an Idempotency-Key.
 *
 *     const troupe = new Troupe({ baseUrl: 'https://troupe.example.com', apiKey: process.env.TROUPE_KEY })
 *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
 */
export class Troupe extends Resources {
  /** Verifies webhook deliveries for receivers; needs no client. */
  static readonly webhooks = { verify: verifyWebhook }

  readonly runs: Runs
  /** The address of the server. */
  readonly baseUrl: string

  constructor(options: TroupeOptions = {}) {
    const settings = settingsOf(options)
    const call = callBy(new Transport(settings))
    super(call)
    this.baseUrl = settings.baseUrl
    this.runs = runsOf(call, this)
  }

  /**
   * Executes operations whose handler is `{ type: 'worker', queue }`, until it is stopped by `stop()` or SIGTERM; calls in
   * progress then finish first. The key needs `workers:serve`, and also `projects:list` and `projects:get` if the
   * Environment is given by its names.
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
