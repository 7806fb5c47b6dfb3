/** An endpoint for webhooks, which checks every signature before it answers 204, and notes how late each event is. */
import { Webhook } from 'standardwebhooks'

const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const stamped = /"timestamp":"([^"]+)"/

export class Receiver {
  /** From an event's own time stamp, before its commit, to its arrival; in whole milliseconds. */
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

  /** Where a webhook is to be posted to, by a name of its own. */
  url = (name: string) => `http://127.0.0.1:${this.#server.port}/${name}`

  /** The secret that this webhook signs with. */
  expect(name: string, signingSecret: string) {
    this.#verifiers.set(`/${name}`, new Webhook(signingSecret))
  }

  /** Keeps everybody waiting for their answer, until `open`. */
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
