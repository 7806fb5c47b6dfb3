/**
 * A payment provider on a local port that behaves like Stripe: requests are forms, responses and errors JSON in
 * Stripe's shapes, a repeated Idempotency-Key returns its first response, and events are signed like Stripe's.
 */
import { Stripe } from 'stripe'

export const stripeKey = 'sk_test_51FakeKeyThatNobodyMaySee'
export const webhookSecret = 'whsec_FakeSecretThatNobodyMaySee'

type Form = Record<string, string>
type Json = Record<string, unknown>

interface Seen {
  method: string
  path: string
  form: Form
  key: string | null
}

interface StoredSubscription {
  id: string
  customer: string
  status: string
  created: number
  cancel_at: number | null
  cancel_at_period_end: boolean
  metadata: Form
  items: { data: Json[] }
}

/** Faults that may replace a response. */
export type Trouble =
  | 'hang'
  | 'html'
  | 'garbage'
  | 'half'
  | 'redirect'
  | { status: number; headers?: Record<string, string>; body?: string }

const failure = (status: number, error: Json) =>
  Response.json({ error }, { status, headers: { 'request-id': 'req_fake' } })
const missing = (param: string, id: string) =>
  failure(404, { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${param}: '${id}'` })

export class FakeStripe {
  readonly seen: Seen[] = []
  readonly customers = new Map<string, Form>()
  readonly sessions = new Map<string, { customer: string; form: Form; status: 'open' | 'complete' | 'expired' }>()
  readonly subscriptions: StoredSubscription[] = []
  readonly portals: Form[] = []
  /** The lookup keys of the prices. */
  lookupKeys = ['pro', 'scale', 'Yearly']
  /** Faults in order, each for one request; `always` for all. */
  troubles: (Trouble | undefined)[] = []
  always: Trouble | undefined
  /** The next request of this path is carried out, and its response lost. */
  loses: string | undefined
  /** The next request of this path fails within Stripe: its Idempotency-Key returns that failure from then on. */
  breaks: string | undefined
  readonly #answers = new Map<string, { request: string; answer: Promise<{ status: number; text: string }> }>()
  readonly #hanging = new Set<() => void>()
  #number = 0
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#take(request),
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async stop(): Promise<void> {
    this.release()
    await this.#server.stop(true)
  }

  /** Releases hanging requests. */
  release(): void {
    for (const end of this.#hanging) end()
    this.#hanging.clear()
  }

  requests(path: string, method?: string): Seen[] {
    return this.seen.filter((seen) => seen.path === path && (method === undefined || seen.method === method))
  }

  /** The open checkouts of this organization, oldest first. */
  payable(organizationId: string): string[] {
    return [...this.sessions].flatMap(([id, { form, status }]) =>
      form.client_reference_id === organizationId && status === 'open' ? [id] : [],
    )
  }

  /** Pays the newest checkout of this organization as its customer. */
  pay(organizationId: string, at: number, changes: Partial<StoredSubscription> = {}): StoredSubscription {
    const session = this.sessions.get(this.payable(organizationId).at(-1) ?? '')
    if (!session) throw new Error('There is no checkout of this organization.')
    session.status = 'complete'
    const planKey = (session.form['line_items[0][price]'] ?? '').replace('price_', '')
    return this.subscribe(session.customer, planKey, at, changes)
  }

  subscribe(
    customer: string,
    planKey: string,
    at: number,
    changes: Partial<StoredSubscription> = {},
  ): StoredSubscription {
    const seconds = Math.floor(at / 1_000)
    const subscription: StoredSubscription = {
      id: this.#id('sub'),
      customer,
      status: 'active',
      created: seconds + this.subscriptions.length,
      cancel_at: null,
      cancel_at_period_end: false,
      metadata: {},
      items: {
        data: [
          {
            id: this.#id('si'),
            current_period_start: seconds,
            current_period_end: seconds + 30 * 86_400,
            price: { id: `price_${planKey}`, lookup_key: planKey, recurring: { interval: 'month' } },
          },
        ],
      },
      ...changes,
    }
    this.subscriptions.push(subscription)
    return subscription
  }

  /** A signed event, ready to be posted. `at`: epoch milliseconds. */
  async event(
    type: string,
    object: Json,
    { at, id = this.#id('evt'), secret = webhookSecret }: { at: number; id?: string; secret?: string },
  ): Promise<{ id: string; body: string; signature: string }> {
    const body = JSON.stringify({ id, object: 'event', type, data: { object } }, null, 2)
    const timestamp = Math.floor(at / 1_000)
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret, timestamp } as never)
    return { id, body, signature }
  }

  #id(prefix: string): string {
    this.#number += 1
    return `${prefix}_${this.#number}`
  }

  async #take(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const text = await request.text()
    const form = Object.fromEntries(new URLSearchParams(request.method === 'GET' ? url.search : text))
    const key = request.headers.get('idempotency-key')
    this.seen.push({ method: request.method, path: url.pathname, form, key })
    const trouble = this.troubles.shift() ?? this.always
    if (trouble) return this.#trouble(trouble)
    const authorization = request.headers.get('authorization')
    if (authorization !== `Bearer ${stripeKey}`)
      return failure(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${authorization}` })
    if (request.method === 'GET' || key === null) return this.#answer(request.method, url.pathname, form)
    const asked = `${url.pathname}?${text}`
    const known = this.#answers.get(key)
    if (known && known.request !== asked)
      return failure(400, { type: 'idempotency_error', message: 'Keys for idempotent requests can only be used once.' })
    const carriedOut = () => {
      if (this.breaks !== url.pathname) return this.#answer(request.method, url.pathname, form)
      this.breaks = undefined
      return failure(500, { type: 'api_error', message: 'An unknown error occurred.' })
    }
    const answer =
      known?.answer ??
      Promise.resolve(carriedOut()).then(async (given) => ({ status: given.status, text: await given.text() }))
    this.#answers.set(key, { request: asked, answer })
    const { status, text: body } = await answer
    if (this.loses === url.pathname) {
      this.loses = undefined
      return this.#trouble('hang')
    }
    const replayed = known && { 'idempotent-replayed': 'true' }
    return new Response(body, { status, headers: { 'content-type': 'application/json', ...replayed } })
  }

  #trouble(trouble: Trouble): Promise<Response> | Response {
    if (trouble === 'html')
      return new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
    if (trouble === 'garbage') return new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })
    if (trouble === 'half') return Response.json(null)
    if (trouble === 'redirect') return Response.redirect('http://127.0.0.1:1/', 302)
    if (trouble === 'hang') return new Promise((resolve) => this.#hanging.add(() => resolve(new Response('{}'))))
    const {
      status,
      headers = {},
      body = JSON.stringify({ error: { type: 'api_error', message: stripeKey } }),
    } = trouble
    return new Response(body, { status, headers })
  }

  #answer(method: string, path: string, form: Form): Response {
    if (method === 'GET' && path === '/v1/prices') {
      const wanted = Object.entries(form).flatMap(([name, value]) => (name.startsWith('lookup_keys') ? [value] : []))
      const data = this.lookupKeys
        .filter((lookupKey) => wanted.includes(lookupKey))
        .map((lookupKey) => ({ id: `price_${lookupKey}`, object: 'price', lookup_key: lookupKey, active: true }))
      return Response.json({ object: 'list', data, has_more: false })
    }
    if (method === 'POST' && path === '/v1/customers') {
      const id = this.#id('cus')
      this.customers.set(id, form)
      return Response.json({ id, object: 'customer' })
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const customer = form.customer ?? ''
      if (!this.customers.has(customer)) return missing('customer', customer)
      const id = this.#id('cs')
      this.sessions.set(id, { customer, form, status: 'open' })
      return Response.json({ id, object: 'checkout.session', url: `https://checkout.stripe.test/c/${id}` })
    }
    if (method === 'GET' && path === '/v1/checkout/sessions') {
      const data = [...this.sessions]
        .filter(([, { customer, status }]) => customer === form.customer && status === form.status)
        .map(([id]) => ({ id, object: 'checkout.session' }))
      return Response.json({ object: 'list', data: data.reverse(), has_more: false })
    }
    const expired = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1]
    if (method === 'POST' && expired !== undefined) {
      const session = this.sessions.get(expired)
      if (!session) return missing('session', expired)
      const message = `Only Checkout Sessions with a status in ["open"] can be expired. This one is ${session.status}.`
      if (session.status !== 'open') return failure(400, { type: 'invalid_request_error', message })
      session.status = 'expired'
      return Response.json({ id: expired, object: 'checkout.session', status: 'expired' })
    }
    if (method === 'POST' && path === '/v1/billing_portal/sessions') {
      const customer = form.customer ?? ''
      if (!this.customers.has(customer)) return missing('customer', customer)
      this.portals.push(form)
      const id = this.#id('bps')
      return Response.json({ id, object: 'billing_portal.session', url: `https://billing.stripe.test/p/${id}` })
    }
    if (method === 'GET' && path === '/v1/subscriptions') {
      const customer = form.customer ?? ''
      if (!this.customers.has(customer)) return missing('customer', customer)
      const data = this.subscriptions.filter((each) => each.customer === customer)
      return Response.json({ object: 'list', data, has_more: false })
    }
    return failure(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path})` })
  }
}
