/** The log of a run: pages, resumption, the stream, and what it must not contain. Source: contract 13, "Logs". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lineOf, redacted } from '../../../src/runs/logs/lines.ts'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

interface Line {
  sequence: number
  source: string
  level: string
  message: string
}

const secret = 'sk-abcdefghijklmnop0123'
const query = `/call calculator {"expression":"6*7"}\n/fail the key ${secret} is not known`
const read = async (runId: string, more: object = {}) =>
  (await world.owner.get(`/api/v1/agent-runs/${runId}/logs`, { query: { limit: 100, ...more } })).body

/** The lines of a stream that has ended. */
async function followed(runId: string, after = 0): Promise<Line[]> {
  const answer = await world.owner.get(`/api/v1/agent-runs/${runId}/logs`, { query: { follow: true, after } })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const text: string = answer.body
  expect(text).toContain('event: end\n')
  return [...text.matchAll(/^event: line\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data as string))
}

test('has the lines of the server and of the runner, in order, in pages and from any position', async () => {
  const { id } = (await world.start(query, { maxRetries: 0 })).body.data
  const { data, pagination } = await read(id)
  const lines: Line[] = data.items
  expect(pagination.hasMore).toBe(false)
  expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map(({ sequence }) => sequence).toSorted((a, b) => a - b))
  expect(lines[0]).toMatchObject({ source: 'server', level: 'info', message: 'start: new → queued' })
  expect(lines.some(({ source, message }) => source === 'runner' && /^tool calculator completed/.test(message))).toBe(
    true,
  )
  expect(lines.at(-1)).toMatchObject({ source: 'server', level: 'error', message: expect.stringContaining('→ failed') })

  const paged: Line[] = []
  for (let cursor: string | undefined; ; ) {
    const part = await read(id, { limit: 3, ...(cursor && { cursor }) })
    paged.push(...part.data.items)
    cursor = part.pagination.nextCursor
    if (!part.pagination.hasMore) break
  }
  expect(paged).toEqual(lines)
  const [, second] = lines as [Line, Line]
  expect((await read(id, { after: second.sequence })).data.items).toEqual(lines.slice(2))
  expect(await followed(id)).toEqual(lines)
  expect(await followed(id, second.sequence)).toEqual(lines.slice(2))
})

test('begins at its last lines, however long it is', async () => {
  const call = '/call calculator {"expression":"6*7"}'
  const { id } = (await world.start(call)).body.data
  const run = `/api/v1/agent-runs/${id}`
  for (let turn = 0; turn < 60; turn += 1) {
    await eventually('its end', async () => (await world.owner.get(run)).body.data.state === 'completed')
    expect((await world.owner.post(`${run}/continue`, { query: `${turn}` })).status).toBe(200)
  }
  await eventually('its end', async () => (await world.owner.get(run)).body.data.state === 'completed')
  const lines: Line[] = []
  for (let after = 0, hasMore = true; hasMore; after = lines.at(-1)!.sequence) {
    const { data, pagination } = await read(id, { after })
    lines.push(...data.items)
    hasMore = pagination.hasMore
  }
  expect([lines.length > 300, lines.at(-1)!.sequence > 600]).toEqual([true, true])
  for (const last of [1, 2, 99, 100]) {
    const { data, pagination } = await read(id, { last })
    expect([last, data.items, pagination.hasMore]).toEqual([last, lines.slice(-last), false])
  }
  for (const last of [101, 250, 300, lines.length - 1, lines.length, 10_000]) {
    const { data, pagination } = await read(id, { last })
    expect([last, data.items, pagination.hasMore]).toEqual([last, lines.slice(-last).slice(0, 100), true])
  }
  expect((await read(id, { last: 0 })).data.items).toEqual([])
  const first = await read(id, { last: 3, limit: 2 })
  expect([first.data.items, first.pagination.hasMore]).toEqual([lines.slice(-3, -1), true])
  const { nextCursor: cursor } = first.pagination
  expect((await read(id, { cursor })).data.items).toEqual(lines.slice(-1))
  for (const other of [{ cursor }, { after: 0 }, { follow: true }]) {
    const { error } = await read(id, { last: 1, ...other })
    expect(error).toMatchObject({ code: 'validation_failed', details: { issues: [{ path: '/query/last' }] } })
  }
  expect((await read(id, { last: 10_001 })).error.details.issues[0].path).toBe('/query/last')
})

test('contains neither inputs nor outputs nor secrets', async () => {
  const { id } = (await world.start(query, { maxRetries: 0 })).body.data
  const text = JSON.stringify(await read(id))
  expect(text).toContain('the key [redacted] is not known')
  for (const word of [secret, '6*7', '42']) expect(text).not.toContain(`"${word}`)
  expect(text).not.toContain(secret)
})

test('is streamed while the run is active, and ends with it', async () => {
  const { id } = (
    await world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: '/sleep 150' })
  ).body.data
  const lines = await followed(id)
  expect(lines.at(-1)?.message).toContain('→ completed')
})

test('is 404 for others, and refuses unknown parameters', async () => {
  const { id } = (await world.start('/say hi')).body.data
  expect((await world.owner.get(`/api/v1/agent-runs/${id}/logs`, { query: { cursor: 'x' } })).status).toBe(422)
  expect((await world.owner.get('/api/v1/agent-runs/run_01h455vb4pex5vsknk084sn02q/logs')).status).toBe(404)
  const { nextCursor: cursor } = (await world.owner.get(`/api/v1/agent-runs/${id}/logs?limit=1`)).body.pagination
  const both = await world.owner.get(`/api/v1/agent-runs/${id}/logs`, { query: { follow: true, cursor } })
  expect(both.status).toBe(422)
  expect(both.body.error.details.issues).toEqual([{ path: '/query/cursor', message: expect.any(String) }])
})

test.each([
  ['Bearer abcdefgh12345', '[redacted]'],
  ['trp_0123456789abcdef went wrong', '[redacted] went wrong'],
  ['https://user:hunter2@host/x', 'https://[redacted]@host/x'],
  ['password=hunter22&x=1', 'password=[redacted]&x=1'],
  ['{"api_key": "abcdef123"}', '{"api_key": "[redacted]"}'],
  ['two\nlines', 'two lines'],
])('%j is shown as %j', (text, redactedText) => {
  expect(redacted(text)).toBe(redactedText)
})

test('a message is truncated, and other kinds of events have no line', () => {
  expect(redacted('x'.repeat(100_000))).toHaveLength(1_000)
  expect(lineOf('step.delta', { sequence: 1, at: '', attempt: 1, data: {} })).toBeUndefined()
})
