/**
 * An endpoint for webhooks, which verifies every signature before it answers 204, and records the delay of each event.
 */
import { Webhook } from 'standardwebhooks'

const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const stamped = /"timestamp":"([^"]+)"/

export class Receiver {
  /** From an event's timestamp, before its commit, to its arrival; in whole milliseconds. */
  lagsMs: number[] = []
  received = 0
  lastAt = 0
  readonly #verifiers = new Map<string, Webhook>()
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: (request) => this.#take(request),
  })
  #gate: PromiseWithResolvers<void> | undefined

  /** The address for a webhook, by its name. */
  url = (name: string) => `http://127.0.0.1:${this.#server.port}/${name}`

  /** The secret of this webhook. */
  expect(name: string, signingSecret: string) {
    this.#verifiers.set(`/${name}`, new Webhook(signingSecret))
  }

  /** Delays all answers until `open`. */
  close() {
    this.#gate = Promise.withResolvers()
  }
  open() {
    this.#gate?.resolve()
    this.#gate = undefined
  }

  forget() {
    this.lagsMs = []
    this.received = 0
  }

  stop = () => this.#server.stop(true)

  async #take(request: Request): Promise<Response> {
    const arrivedAt = Date.now()
    const body = await request.text()
    const headers = Object.fromEntries(signed.map((name) => [name, request.headers.get(name) ?? '']))
    // throws: the sender gets a 500, and the benchmark misses a delivery
    this.#verifiers.get(new URL(request.url).pathname)!.verify(body, headers)
    await this.#gate?.promise
    this.lagsMs.push(Math.max(0, arrivedAt - Date.parse(stamped.exec(body)?.[1] ?? '')))
    this.received += 1
    this.lastAt = performance.now()
    return new Response(null, { status: 204 })
  }
}
