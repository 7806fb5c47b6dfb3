/** An answer is read and decompressed within limits, and one that stops during a call is invalid. */
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { ProviderFailure } from '../../../src/runs/providers/errors.ts'
import { startVendor, stepRequest, streaming, thrownBy } from './vendor-server.ts'
import { frames } from './wire.ts'

const mebibyte = 1024 * 1024
const usage = { input: 3, output: 3 }
const tooLarge = { code: 'provider_error', retryable: false, message: expect.stringContaining('answer_too_large') }

/** Frames of text, endlessly, while somebody reads. */
const endless = () => {
  const whole = frames.anthropic({ text: ['x'.repeat(mebibyte)], finish: 'stop', usage })
  const at = whole.findIndex((frame) => frame.includes('xxx'))
  const [before, delta = ''] = [whole.slice(0, at).join(''), whole[at]]
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      const piece = sent++ === 0 ? before : delta
      controller.enqueue(new TextEncoder().encode(piece))
      if (sent > 60) controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

describe('an answer that is too large is aborted', () => {
  test('in many pieces', async () => {
    const vendor = startVendor(endless)
    expect(await thrownBy(stepRequest('anthropic', vendor.url))).toMatchObject(tooLarge)
  })
  test('in one piece', async () => {
    const whole = frames.anthropic({ text: ['x'.repeat(20 * mebibyte)], finish: 'stop', usage })
    const vendor = startVendor(streaming(whole))
    expect(await thrownBy(stepRequest('anthropic', vendor.url))).toMatchObject(tooLarge)
  })
  test('compressed a thousandfold, without using that memory', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * mebibyte, 'x'))
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
    const vendor = startVendor(() => new Response(bomb, { headers }))
    Bun.gc(true)
    const before = process.memoryUsage().rss
    expect(await thrownBy(stepRequest('anthropic', vendor.url))).toMatchObject(tooLarge)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * mebibyte)
  })
})

test('a compressed answer is still read', async () => {
  const whole = frames.anthropic({ text: ['Hel', 'lo'], finish: 'stop', usage }).join('')
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
  const vendor = startVendor(() => new Response(gzipSync(whole), { headers }))
  expect(await thrownBy(stepRequest('anthropic', vendor.url))).toBeUndefined()
  expect(vendor.asked[0]?.headers.get('accept-encoding')).toBe('identity')
})

test('a reply that ends during a call is invalid', async () => {
  const whole = frames.anthropic({
    text: [],
    calls: [{ id: 'call_1', name: 'echo', input: ['{"a"', ':1}'] }],
    finish: 'calls',
    usage,
  })
  const cut = whole.filter((frame) => !frame.includes('content_block_stop'))
  expect(cut.length).toBeLessThan(whole.length)
  const vendor = startVendor(streaming(cut))
  const thrown = await thrownBy(stepRequest('anthropic', vendor.url))
  expect(thrown).toBeInstanceOf(ProviderFailure)
  expect(thrown).toMatchObject({ code: 'provider_error', retryable: true })
})
