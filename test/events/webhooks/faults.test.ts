/** Receivers that misbehave, each in a different way. Source: contract 7, "Delivery"; trust 3.3, cases 10, 14–21. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { certificateFor } from '../../platform/outbound/certificates.ts'
import { dripping, type Reaction, receive, receiveSecurely, saying } from '../../platform/outbound/receivers.ts'
import { dataOf } from '../../support/world/replies.ts'
import { disabling, disablingsOf, eventually, openWorld, receiver, statuses, type World } from './world.ts'

let world: World
let patient: World
let hasty: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '10,10' } })
  // with the delays of the schedule: failed deliveries stay retrying
  patient = await openWorld()
  hasty = await openWorld({ environment: { TROUPE_WEBHOOK_TIMEOUT_MS: '400' } })
})
afterAll(() => Promise.all([world?.stop(), patient?.stop(), hasty?.stop()]))

/** One delivery to this endpoint, once it is settled. */
async function deliver(url: string, state: string, of = world) {
  const { id } = await of.webhook(url)
  await of.place.emit()
  const [delivery] = await of.settled(id, 1, state)
  await of.owner.delete(`${of.path}/webhooks/${id}`)
  return delivery
}

test.each([200, 201, 202, 204, 299])('%i: delivered by the first attempt', async (status) => {
  const at = receiver(() => new Response(null, { status }))
  const delivery = await deliver(at.url, 'delivered')
  expect(delivery).toMatchObject({
    attempts: 1,
    nextAttemptAt: null,
    lastAttempt: { number: 1, status, errorClass: null },
  })
  expect(delivery.deliveredAt).toBe(delivery.updatedAt)
  expect(delivery.attemptHistory).toEqual([delivery.lastAttempt])
})

/** Answers with this head and a part of the announced body. */
const broken =
  (head: string): Reaction =>
  (socket) => {
    socket.write(`${head}half`)
    setTimeout(() => socket.destroy(), 20)
  }
test.each([
  ['a truncated body', 200, broken('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n')],
  ['truncated chunks', 202, broken('HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n64\r\n')],
  ['an invalid length', 204, saying('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n')],
  ['an endless body, byte by byte', 200, dripping('HTTP/1.1 200 OK\r\ncontent-length: 16000\r\n\r\n', 'x', 100)],
])('a 2xx with %s is delivered: its status suffices', async (_, status, react) => {
  const delivery = await deliver((await receive(react)).url, 'delivered')
  expect(delivery).toMatchObject({ attempts: 1, lastAttempt: { status, errorClass: null } })
})

test('a refusal counts as soon as its status arrives, whatever happens to its body', async () => {
  const at = await receive(broken('HTTP/1.1 503 Busy\r\nretry-after: 90\r\ncontent-length: 100\r\n\r\n'))
  const { lastAttempt, nextAttemptAt, updatedAt } = await deliver(at.url, 'retrying', patient)
  expect(lastAttempt).toMatchObject({ status: 503, errorClass: 'http_status' })
  expect(Date.parse(nextAttemptAt) - Date.parse(updatedAt)).toBe(90_000)
})

test('an endpoint that recovers receives the event, and all attempts are shown', async () => {
  const at = receiver(statuses(500, 404, 200))
  const delivery = await deliver(at.url, 'delivered')
  expect(
    delivery.attemptHistory.map(({ number, status, errorClass }: Record<string, unknown>) => [
      number,
      status,
      errorClass,
    ]),
  ).toEqual([
    [1, 500, 'http_status'],
    [2, 404, 'http_status'],
    [3, 200, null],
  ])
})

test('a list of two delays means three attempts; then the delivery is a dead letter', async () => {
  const at = receiver(statuses(500))
  const delivery = await deliver(at.url, 'dead-letter')
  expect(delivery).toMatchObject({ attempts: 3, nextAttemptAt: null, deliveredAt: null })
  expect(at.received.length).toBe(3)
})

describe('is a failed attempt, and is retried', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const plain: [string, string, number | null, Reaction][] = [
    ['an answer that never begins', 'timeout', null, () => {}],
    ['endless headers', 'timeout', null, dripping(head, 'x-more: 1\r\n', 100)],
    ['headers of half a megabyte', 'invalid_response', null, saying(`${head}x-large: ${'x'.repeat(560_000)}\r\n\r\n`)],
    ['an answer that is not HTTP', 'invalid_response', null, saying('SSH-2.0-OpenSSH_9.7\r\n')],
    ['an unknown status', 'invalid_response', null, saying('HTTP/1.1 600 What\r\ncontent-length: 0\r\n\r\n')],
    ['a connection that closes at once', 'reset', null, (socket) => socket.destroy()],
    ['an error status', 'http_status', 304, saying('HTTP/1.1 304 Not Modified\r\n\r\n')],
  ]
  test.each(plain)('%s: %s', async (_, errorClass, status, react) => {
    const at = await receive(react)
    const delivery = await deliver(at.url, 'retrying', errorClass === 'timeout' ? hasty : patient)
    expect({ ...delivery.lastAttempt, status }).toMatchObject({ number: 1, errorClass, status })
    expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.parse(delivery.updatedAt) + 3_900)
  })

  test('an untrusted certificate: tls_error, and nothing is sent', async () => {
    const at = await receiveSecurely(
      certificateFor(['127.0.0.1']),
      saying('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    )
    const delivery = await deliver(at.url, 'retrying', patient)
    expect(delivery.lastAttempt).toMatchObject({ status: null, errorClass: 'tls_error' })
    expect(at.text).toBe('')
  })

  test('a closed port: connect_refused', async () => {
    const gone = receiver()
    gone.stop()
    expect((await deliver(gone.url, 'retrying', patient)).lastAttempt).toMatchObject({ errorClass: 'connect_refused' })
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i): redirect, and it is not followed', async (status) => {
    const target = receiver()
    const headers = { location: target.url, 'retry-after': '90' }
    const at = receiver(() => new Response(null, { status, headers }))
    const delivery = await deliver(at.url, 'retrying', patient)
    expect(delivery.lastAttempt).toMatchObject({ status, errorClass: 'redirect' })
    expect([at.received.length, target.received.length]).toEqual([1, 0])
  })
})

test('an answer of 200 MB is not read', async () => {
  let written = 0
  const chunk = new Uint8Array(64 * 1024)
  const at = await receive((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 209715200\r\n\r\n')
    const more = () => {
      while (written < 200 * 1024 * 1024 && !socket.destroyed) {
        written += chunk.length
        if (socket.write(chunk)) continue
        socket.once('drain', more)
        return
      }
    }
    more()
  })
  const delivery = await deliver(at.url, 'delivered')
  expect(delivery.lastAttempt).toMatchObject({ status: 200, errorClass: null })
  expect(written).toBeLessThan(50 * 1024 * 1024)
})

describe('after a failure', () => {
  const waited = async (reaction: () => Response) => {
    const delivery = await deliver(receiver(reaction).url, 'retrying', patient)
    return Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.updatedAt)
  }
  const answer = (status: number, retryAfter?: string) => () =>
    new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

  test('the next attempt is scheduled within 5 s ± 20 %', async () => {
    const ms = await waited(answer(500))
    expect(ms).toBeGreaterThanOrEqual(4_000)
    expect(ms).toBeLessThanOrEqual(6_000)
  })

  test.each([429, 502, 503, 504])('a %i waits at least 60 s', async (status) => {
    expect(await waited(answer(status))).toBe(60_000)
  })

  test.each([
    ['90', 90_000],
    ['99999999', 120_000],
    ['9999999999999999', 120_000],
    ['9'.repeat(300), 120_000],
    ['1', 60_000],
    ['-1', 60_000],
    ['soon', 60_000],
    [new Date(Date.now() - 60_000).toUTCString(), 60_000],
    [new Date(Date.now() + 86_400_000).toUTCString(), 120_000],
  ])('a 429 with Retry-After: %s waits %i ms', async (retryAfter, expected) => {
    expect(await waited(answer(429, retryAfter))).toBe(expected)
  })
})

describe('410', () => {
  test('is a dead letter at once, and disables the webhook; waiting deliveries are sent only once it is enabled', async () => {
    let status = 500
    const at = receiver(() => new Response(null, { status }))
    const { id } = await patient.webhook(at.url)
    await patient.place.emit()
    await patient.settled(id, 1, 'retrying')
    status = 410
    await patient.place.emit()
    const found = await eventually('a dead-letter', async () => {
      const all = await patient.deliveries(id)
      return all.some(({ state }) => state === 'dead-letter') && all
    })
    expect(found.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['dead-letter', 1],
      ['retrying', 1],
    ])
    const path = `${patient.path}/webhooks/${id}`
    expect(dataOf(await patient.owner.get(path))).toMatchObject({ enabled: false, disabledReason: 'endpoint_gone' })
    expect(await disablingsOf(patient, id)).toEqual([disabling])
    await patient.place.emit()
    status = 200
    expect(dataOf(await patient.owner.patch(path, { enabled: true }))).toMatchObject({
      enabled: true,
      disabledReason: null,
    })
    expect(await patient.deliveries(id)).toHaveLength(2)
    await patient.owner.delete(path)
  })

  test('of the endpoint from before a change does not disable the webhook', async () => {
    const changed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const old = receiver(async () => {
      asked.resolve()
      await changed.promise
      return new Response(null, { status: 410 })
    })
    const { id } = await patient.webhook(old.url)
    await patient.place.emit()
    await asked.promise
    const path = `${patient.path}/webhooks/${id}`
    await Bun.sleep(2)
    await patient.owner.patch(path, { endpointUrl: receiver(() => new Response(null, { status: 200 })).url })
    changed.resolve()
    await patient.settled(id, 1, 'dead-letter')
    expect(dataOf(await patient.owner.get(path))).toMatchObject({ enabled: true, disabledReason: null })
    expect(await disablingsOf(patient, id)).toEqual([])
    await patient.owner.delete(path)
  })
})

test('the metrics count every attempt by outcome, and deliveries by state', async () => {
  // deliveries of deleted webhooks are removed within seconds
  const { id } = await world.webhook(receiver(() => new Response(null, { status: 200 })).url)
  await world.place.emit()
  await world.settled(id, 1, 'delivered')
  const text = await (await fetch(`${world.troupe.url}/metrics`)).text()
  const count = (line: string) => Number(new RegExp(`^${line.replace(/[{}"]/g, '\\$&')} (\\d+)$`, 'm').exec(text)?.[1])
  expect(count('troupe_webhook_attempts_total{outcome="acknowledged"}')).toBeGreaterThan(0)
  expect(count('troupe_webhook_attempts_total{outcome="http_status"}')).toBeGreaterThan(0)
  expect(count('troupe_webhook_deliveries{state="delivered"}')).toBeGreaterThan(0)
  expect(count('troupe_webhook_deliveries{state="in-flight"}')).toBe(0)
})
