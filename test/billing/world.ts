/** Servers with a payment provider, for tests of billing. */

import { HandClock } from '../runtime/statecharts/clock.ts'
import type { Reply } from '../support/client.ts'
import { FakeStripe, stripeKey, webhookSecret } from '../support/services/stripe.ts'
import type { Troupe, TroupeOptions } from '../support/troupe.ts'
import { openWorld as openServer, type World as Server } from '../support/world/world.ts'

export interface World {
  troupe: Troupe & Pick<Server, 'user' | 'keyOf'>
  clock: HandClock
  /** The first organization. */
  organizationId: string
}

export interface StripeWorld extends World {
  stripe: FakeStripe
  stop(): Promise<void>
}

const quiet = { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' }

export async function openWorld({
  environment,
  clock = new HandClock(),
  ...options
}: TroupeOptions = {}): Promise<World> {
  const troupe = await openServer({ ...options, clock, environment: { ...quiet, ...environment } })
  return { troupe, clock: clock as HandClock, organizationId: troupe.ours }
}

export const stripeSettings = (stripe: FakeStripe): Record<string, string> => ({
  STRIPE_SECRET_KEY: stripeKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  TROUPE_STRIPE_BASE_URL: stripe.url,
  TROUPE_STRIPE_TIMEOUT_MS: '2000',
})

export async function openStripeWorld(options: TroupeOptions = {}): Promise<StripeWorld> {
  const stripe = new FakeStripe()
  const world = await openWorld({ ...options, environment: { ...stripeSettings(stripe), ...options.environment } })
  return {
    ...world,
    stripe,
    async stop() {
      stripe.release()
      await world.troupe.stop()
      await stripe.stop()
    },
  }
}

export const base = (organization: string) => `/api/v1/organizations/${organization}/billing`

export const checkoutBody = ({ url }: Pick<Troupe, 'url'>, changes: object = {}) => {
  const console = consoleOf(url)
  return {
    planKey: 'pro',
    successUrl: `${console}/billing/success`,
    cancelUrl: `${console}/billing/canceled`,
    ...changes,
  }
}
export const portalBody = ({ url }: Pick<Troupe, 'url'>, changes: object = {}) => ({
  returnUrl: `${consoleOf(url)}/billing`,
  ...changes,
})

/** Without TROUPE_CONSOLE_URL the console is at the server's own address. */
export const consoleOf = (url: string) => `http://localhost:${new URL(url).port}`

export const keyed = (key: string = crypto.randomUUID(), headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
})

/** Posts an event like Stripe. */
export const tell = (
  troupe: Troupe,
  { body, signature }: { body: string; signature: string },
  headers: Record<string, string> = {},
): Promise<Reply> =>
  troupe.as(null).call('POST', '/api/billing/stripe/webhook', body, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature, ...headers },
  })

const patienceMs = 120_000

/** Yields to the event loop until the condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs
  while (performance.now() < end) {
    if (await isSo()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`Never happened: ${what}.`)
}

export const statusOf = async ({ troupe, organizationId }: World) => {
  const { body } = await troupe.owner.get(`${base(organizationId)}/subscription`)
  return body.data
}
