import { describe, expect, test } from 'bun:test'
import { vendorIds } from '../../../src/platform/models/vendors.ts'
import { streamStep } from '../../../src/runs/providers/call.ts'
import { ProviderFailure } from '../../../src/runs/providers/errors.ts'
import type { StepPart } from '../../../src/runs/providers/step.ts'
import {
  apiKey,
  chunked,
  hanging,
  head,
  startCutting,
  startVendor,
  stepRequest,
  streaming,
  thrownBy,
} from './vendor-server.ts'
import { errorBody, frames, overloadedInStream, type Reply, type Wire } from './wire.ts'

const wires: Wire[] = [...vendorIds, 'openaiChat']
const reply: Reply = { text: ['Hel', 'lo ', 'there'], finish: 'stop', usage: { input: 3, output: 3 } }

const html = () =>
  new Response('<!doctype html><html><body>Sign in</body></html>', { headers: { 'content-type': 'text/html' } })

describe.each(wires)('%s', (wire) => {
  const whole = () => frames[wire](reply)
  const fails = async (url: string, expected: { code?: string; retryable: boolean; retryAfterMs?: number }) => {
    const thrown = await thrownBy(stepRequest(wire, url))
    expect(thrown).toBeInstanceOf(ProviderFailure)
    const { code, retryable, retryAfterMs, message } = thrown as ProviderFailure
    expect({ code, retryable, retryAfterMs }).toEqual({
      code: expected.code ?? 'provider_error',
      retryable: expected.retryable,
      retryAfterMs: expected.retryAfterMs,
    } as never)
    expect(message).not.toContain(apiKey)
    expect(message.length).toBeLessThanOrEqual(300)
    expect(message).not.toMatch(/\n|Bearer|127\.0\.0\.1/)
    return message
  }

  test.each([
    { status: 429, code: 'provider_rate_limited', retryable: true },
    { status: 408, code: 'provider_error', retryable: true },
    { status: 409, code: 'provider_error', retryable: true },
    { status: 500, code: 'provider_error', retryable: true },
    { status: 502, code: 'provider_error', retryable: true },
    { status: 503, code: 'provider_error', retryable: true },
    { status: 529, code: 'provider_error', retryable: true },
    { status: 400, code: 'provider_error', retryable: false },
    { status: 401, code: 'provider_error', retryable: false },
    { status: 403, code: 'provider_error', retryable: false },
    { status: 404, code: 'provider_error', retryable: false },
    { status: 413, code: 'provider_error', retryable: false },
    { status: 422, code: 'provider_error', retryable: false },
  ])('$status is $code, retryable: $retryable', async ({ status, code, retryable }) => {
    const body = errorBody[wire](`It went wrong with ${apiKey}.`)
    const vendor = startVendor(() => Response.json(body, { status }))
    const message = await fails(vendor.url, { code, retryable })
    expect(message).toContain(String(status))
    expect(message).toContain('It went wrong with [redacted].')
    expect(vendor.asked).toHaveLength(1)
  })

  test.each([429, 503])('%d with Retry-After has that delay', async (status) => {
    const headers = { 'retry-after': '7' }
    const vendor = startVendor(() => Response.json(errorBody[wire]('Slow down'), { status, headers }))
    const code = status === 429 ? 'provider_rate_limited' : 'provider_error'
    await fails(vendor.url, { code, retryable: true, retryAfterMs: 7_000 })
  })

  test('an error page of a gateway keeps its status and stays out of the message', async () => {
    const vendor = startVendor(() => new Response('<html>Bad gateway</html>', { status: 502 }))
    const message = await fails(vendor.url, { retryable: true })
    expect(message).toContain('502')
    expect(message).not.toContain('html')
  })

  test('a redirect is not followed', async () => {
    const elsewhere = startVendor(streaming(whole()))
    const vendor = startVendor(() => new Response(null, { status: 307, headers: { location: `${elsewhere.url}/x` } }))
    await fails(vendor.url, { retryable: false })
    expect(elsewhere.asked).toEqual([])
  })

  test('HTML with 200 is invalid', async () => {
    await fails(startVendor(html).url, { retryable: false })
  })

  test('a JSON answer that is not a stream is invalid', async () => {
    const vendor = startVendor(() => Response.json({ choices: [{ message: { content: 'Hi' } }] }))
    const thrown = await thrownBy(stepRequest(wire, vendor.url))
    expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'provider_error' })
  })

  test('an empty stream is invalid', async () => {
    await fails(startVendor(streaming([])).url, { retryable: true })
  })

  test('a stream that ends before its finish is invalid, wherever it ends', async () => {
    // The last frames only count tokens or mark the end, if the vendor has finished before.
    const until = whole().findLastIndex((frame) => /"finish_?reason":"|message_stop|response\.completed/i.test(frame))
    expect(until).toBeGreaterThan(1)
    for (let length = 1; length <= until; length++) {
      await fails(startVendor(streaming(whole().slice(0, length))).url, { retryable: true })
    }
  })

  test.each(['close', 'reset'] as const)('a connection closed in mid-stream (%s) is retryable', async (how) => {
    await fails(startCutting([head, ...whole().slice(0, 3).map(chunked)], how), { retryable: true })
  })

  test('a connection closed before the answer is retryable', async () => {
    await fails(startCutting([], 'reset'), { retryable: true })
  })

  test('an unreachable vendor is retryable', async () => {
    const vendor = startVendor(html)
    await vendor.stop()
    await fails(vendor.url, { retryable: true })
  })

  test.each([0, 2])('a chunk that is not JSON, after %d valid ones', async (good) => {
    const bad = [...whole().slice(0, good), 'data: {"id": "half\n\n', ...whole().slice(good)]
    const message = await fails(startVendor(streaming(bad)).url, { retryable: true })
    expect(message).toContain('not in its format')
  })

  test('a chunk of another shape', async () => {
    const vendor = startVendor(streaming([...whole().slice(0, 2), 'data: [17]\n\n', ...whole().slice(2)]))
    await fails(vendor.url, { retryable: true })
  })

  test.each([0, 2])('an error in a stream, after %d valid chunks', async (good) => {
    const vendor = startVendor(streaming([...whole().slice(0, good), overloadedInStream[wire]]))
    const message = await fails(vendor.url, { retryable: true })
    expect(message).toContain('Overloaded')
  })

  test('a call without an answer ends with the abort, which the vendor notices', async () => {
    const hungUp = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const vendor = startVendor((request) => {
      request.signal.addEventListener('abort', () => hungUp.resolve())
      asked.resolve()
      return new Promise<Response>(() => {})
    })
    const controller = new AbortController()
    const step = thrownBy(stepRequest(wire, vendor.url, { signal: controller.signal }))
    await asked.promise
    controller.abort()
    expect(await step).toMatchObject({ name: 'AbortError' })
    await hungUp.promise
  })

  test.each(['abort', 'leave'] as const)('a vendor that hangs in mid-stream notices the %s', async (how) => {
    const hungUp = Promise.withResolvers<void>()
    const vendor = startVendor((request) => {
      request.signal.addEventListener('abort', () => hungUp.resolve())
      return hanging(whole().slice(0, -3))
    })
    const controller = new AbortController()
    const read = async () => {
      const parts: StepPart[] = []
      for await (const part of streamStep(stepRequest(wire, vendor.url, { signal: controller.signal }))) {
        parts.push(part)
        if (how === 'leave') return parts
        controller.abort()
      }
      return parts
    }
    if (how === 'abort') expect(await read().catch((thrown) => thrown)).toMatchObject({ name: 'AbortError' })
    else expect(await read()).toHaveLength(1)
    await hungUp.promise
  })

  test.each(['before its answer', 'in mid-stream'])('a vendor that becomes silent %s is retryable', async (when) => {
    const vendor = startVendor(() =>
      when === 'in mid-stream' ? hanging(whole().slice(0, 3)) : new Promise<Response>(() => {}),
    )
    const thrown = await thrownBy(stepRequest(wire, vendor.url, { silenceMsMax: 40 }))
    expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'provider_error', retryable: true })
    expect((thrown as Error).message).toContain('silent')
  })

  test('a step whose signal has fired sends no request', async () => {
    const vendor = startVendor(html)
    const signal = AbortSignal.abort()
    expect(await thrownBy(stepRequest(wire, vendor.url, { signal }))).toMatchObject({ name: 'AbortError' })
    expect(vendor.asked).toEqual([])
  })

  test('a key that is invalid in a header is a permanent failure without the key', async () => {
    const vendor = startVendor(html)
    const key = `bad\n${apiKey}`
    const thrown = (await thrownBy(stepRequest(wire, vendor.url, { apiKey: key }))) as ProviderFailure
    expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'provider_error', retryable: false })
    expect(thrown.message).not.toContain(apiKey)
    expect(vendor.asked).toEqual([])
  })

  test('without a key and without an override no request is sent', async () => {
    const asked: unknown[] = []
    const send = ((...call: unknown[]) => asked.push(call)) as unknown as typeof fetch
    const thrown = await thrownBy(stepRequest(wire, '', { apiKey: null, baseUrl: null, fetch: send }))
    expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'provider_error', retryable: false })
    expect(asked).toEqual([])
  })
})
