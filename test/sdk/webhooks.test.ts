/** Deliveries at a receiver: accepted if the server signed them, else refused with the reason. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Troupe, WebhookVerificationError } from '@troupe/sdk'
import { Webhook } from 'standardwebhooks'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { openShop } from './shop.ts'

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
const other = `whsec_${Buffer.from('another secret of twenty-four').toString('base64')}`
const body = JSON.stringify({ type: 'run.completed', data: { state: 'completed' }, text: 'Grüße' })
const now = new Date('2026-01-31T12:00:00Z')

const signed = (by = secret, at = now, id = 'evt_1') => ({
  'webhook-id': id,
  'webhook-timestamp': `${at.getTime() / 1_000}`,
  'webhook-signature': new Webhook(by).sign(id, at, body),
})
const options = { now: now.getTime() }
const verify = Troupe.webhooks.verify

describe('a delivery is accepted', () => {
  test.each([
    ['text', body, signed()],
    ['bytes', new TextEncoder().encode(body), signed()],
    ['a buffer', new TextEncoder().encode(body).buffer as ArrayBuffer, signed()],
    ['headers of fetch', body, new Headers(signed())],
    [
      'uppercase headers',
      body,
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'headers that are arrays',
      body,
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value]])),
    ],
    [
      'several signatures',
      body,
      { ...signed(), 'webhook-signature': `${signed(other)['webhook-signature']} ${signed()['webhook-signature']}` },
    ],
  ])('with %s', async (_, given, headers) => {
    expect(await verify(given, headers, secret, options)).toEqual(JSON.parse(body))
  })

  test('with either of two secrets during a rotation', async () => {
    expect(await verify(body, signed(other), [secret, other], options)).toEqual(JSON.parse(body))
  })
})

describe('a delivery is refused', () => {
  const minutes = (count: number) => new Date(now.getTime() + count * 60_000)
  test.each([
    ['of another sender', body, signed(other), 'invalid_signature'],
    ['with a changed body', `${body} `, signed(), 'invalid_signature'],
    ['with a changed id', body, { ...signed(), 'webhook-id': 'evt_2' }, 'invalid_signature'],
    [
      'with another kind of signature',
      body,
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1,', 'v1a,') },
      'invalid_signature',
    ],
    ['with an invalid signature', body, { ...signed(), 'webhook-signature': 'v1,%%% v1, x' }, 'invalid_signature'],
    ['six minutes old', body, signed(secret, minutes(-6)), 'timestamp_out_of_range'],
    ['from the future', body, signed(secret, minutes(6)), 'timestamp_out_of_range'],
    ['without a timestamp', body, { ...signed(), 'webhook-timestamp': 'now' }, 'timestamp_out_of_range'],
    ['without a signature', body, { ...signed(), 'webhook-signature': undefined }, 'missing_header'],
    ['without headers', body, {}, 'missing_header'],
  ])('%s', async (_, given, headers, code) => {
    const error = await verify(given, headers, secret, options).catch((error) => error)
    expect(error).toBeInstanceOf(WebhookVerificationError)
    expect(error.code).toBe(code)
  })

  test('that is signed but is not JSON', async () => {
    const text = 'not JSON'
    const headers = { ...signed(), 'webhook-signature': new Webhook(secret).sign('evt_1', now, text) }
    await expect(verify(text, headers, secret, options)).rejects.toMatchObject({ code: 'invalid_body' })
  })

  test.each([undefined, ''])('with %p, as from a variable that is not set', async (missing) => {
    await expect(verify(body, signed(), missing, options)).rejects.toThrow('There is no signing secret')
  })

  test.each(['whsec_', 'whsec_%%%'])('with %p, which is not a secret', async (wrong) => {
    await expect(verify(body, signed(), wrong, options)).rejects.toThrow('A signing secret is whsec_ and base64.')
  })
})

describe('a delivery of the server', () => {
  let server: Server
  beforeAll(async () => {
    server = await openTroupe({ environment: { TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  })
  afterAll(() => server?.stop())

  test('is verified with the secret of its webhook', async () => {
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    const shop = await openShop(troupe)
    const place = { projectId: shop.projectId, environmentId: shop.environmentId }
    const received = Promise.withResolvers<Awaited<ReturnType<typeof verify>>>()
    let signingSecret = ''
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.resolve(verify(await request.text(), request.headers, signingSecret))
        return new Response()
      },
    })
    try {
      const webhook = await troupe.webhooks.create({
        ...place,
        endpointUrl: receiver.url.href,
        eventTypes: ['run.completed'],
      })
      signingSecret = webhook.signingSecret
      const run = await troupe.runs.start({ agent: 'shop/development/clerk', query: 'Hello' })
      const event = await received.promise
      expect(event.type === 'run.completed' && event.data).toMatchObject({ agentRunId: run.id })
    } finally {
      await receiver.stop(true)
    }
  })
})
