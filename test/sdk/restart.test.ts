/** A server is killed and restarted while a client follows a run: no event is lost or repeated. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type RunEvent, Troupe } from '@troupe/sdk'
import { call, say, script } from '@troupe/sdk/testing'
import { endAll, eventually, Site } from '../support/process.ts'
import { openShop } from './shop.ts'

let site: Site
beforeAll(async () => {
  site = await Site.create()
})
afterAll(async () => {
  await endAll()
  await site?.remove()
})

test('a loop over events, and an awaited output, survive the restart', async () => {
  const first = await site.start()
  const troupe = new Troupe({ baseUrl: first.url, apiKey: site.key })
  await openShop(troupe)
  const query = script(call('ask', { question: 'Which?' }), say('Thank you.'))
  const run = await troupe.runs.start({ agent: 'shop/development/clerk', query })
  const events: RunEvent[] = []
  const reading = (async () => {
    for await (const event of run) events.push(event)
  })()
  const output = run.output()
  await eventually('a question', () => events.some(({ type }) => type === 'input.requested'))
  await first.end('SIGKILL')

  const second = await site.start({ PORT: new URL(first.url).port })
  expect(second.url).toBe(first.url)
  await run.answer('call_1', 'blue')
  expect(await output).toEqual({ text: 'Thank you.' })
  await reading
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(events.at(-1)?.type).toBe('end')
  await second.end('SIGTERM')
})
