/**
 * The server is killed while a client of another protocol waits: the next server has the answer. Source: contract 12.
 */
import { afterAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { endAll, eventually, Site } from '../support/process.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test('a response keeps its id, its text and its turn across a crash', async () => {
  const site = await Site.create({
    TROUPE_RUNNER: 'embedded',
    TROUPE_ATTEMPT_BACKOFF_MS: '1',
  })
  sites.push(site)
  let server = await site.start()
  const client = () => new OpenAI({ apiKey: site.key, baseURL: `${server.url}/openai/v1`, maxRetries: 0 })
  const model = 'agt_system_assistant'
  const first = await client().responses.create({ model, input: '/say one' })
  const input = '/say begun\n/sleep 1500\n/say done'
  const stream = await client().responses.create({
    model,
    input,
    previous_response_id: first.id,
    background: true,
    stream: true,
  })
  let id = ''
  let seen = -1
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id
    seen = event.sequence_number
    if (event.type === 'response.output_text.delta') break
  }
  await server.end('SIGKILL')
  server = await site.start()

  const response = await eventually('the answer', async () => {
    const read = await client().responses.retrieve(id)
    return read.status === 'completed' && read
  })
  expect(response).toMatchObject({ id, output_text: 'begun done', previous_response_id: first.id })
  // text that was already sent is not sent again
  const rest = await Array.fromAsync(await client().responses.retrieve(id, { stream: true, starting_after: seen }))
  const deltas = rest.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
  expect(deltas.join('')).toBe(' done')
  expect(rest.at(-1)).toMatchObject({ type: 'response.completed' })
  const next = await client().responses.create({ model, input: '/say three', previous_response_id: id })
  expect(next.output_text).toBe('three')
  await server.end('SIGTERM')
})
