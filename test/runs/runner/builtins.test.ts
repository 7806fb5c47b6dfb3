import { expect, test } from 'bun:test'
import type { AgentTool } from '../../../src/runs/runner/protocol/protocol.ts'
import { builtinTools } from '../../../src/runs/runner/tools/builtins.ts'
import { ManualClock } from './support/clock.ts'
import { toolResults } from './support/conversations.ts'
import { agent, call, createWorld } from './support/world.ts'

const tools: AgentTool[] = (['clock', 'calculator', 'echo', 'fetch', 'json', 'time'] as const).map((name) => ({
  kind: 'builtin',
  name,
}))

test.each([
  ['clock', {}, { now: '2026-01-01T00:00:00.000Z' }],
  [
    'clock',
    { timezone: 'Asia/Tokyo' },
    { now: '2026-01-01T00:00:00.000Z', timezone: 'Asia/Tokyo', local: expect.stringContaining('09:00:00') },
  ],
  ['clock', { timezone: 'Mars/Olympus' }, 'Unknown time zone: "Mars/Olympus".'],
  ['clock', { when: 'now' }, expect.stringContaining('not valid')],
  ['calculator', { expression: '2+2' }, { result: 4 }],
  ['calculator', { expression: '' }, expect.stringContaining('not valid')],
  ['calculator', { expression: '1', more: 1 }, expect.stringContaining('not valid')],
  ['echo', { text: 'Hi', more: [1, null] }, { text: 'Hi', more: [1, null] }],
  ['echo', { text: 1 }, expect.stringContaining('not valid')],
  ['json', { query: 'a[?b>`1`].c', value: { a: [{ b: 1 }, { b: 2, c: 'x' }] } }, { result: ['x'] }],
  ['json', { query: 'length(a)', value: '{"a":[1,2]}' }, { result: 2 }],
  ['json', { query: 'constructor', value: {} }, { result: null }],
  ['json', { query: '__proto__', value: {} }, { result: null }],
  ['json', { query: '&a', value: { a: 1 } }, { result: expect.anything() }],
  ['json', { query: 'a[', value: {} }, expect.stringContaining('query is not valid')],
  ['json', { query: 'abs(a)', value: { a: 'x' } }, expect.stringContaining('query is not valid')],
  ['json', { query: 'a', value: '{' }, expect.stringContaining('not JSON')],
  ['json', { query: `[@,@]${'|[@,@]'.repeat(100)}`, value: 1 }, expect.stringContaining('far more')],
  ['json', { query: `[@,@][]${'|[@,@][]'.repeat(100)}`, value: [1] }, expect.stringContaining('far more')],
  ['json', { query: 'join(@[0], @)', value: ['a', 'b'] }, expect.stringContaining('literal')],
  [
    'time',
    {},
    {
      instant: '2026-01-01T00:00:00.000Z',
      local: '2026-01-01T00:00:00+00:00',
      weekday: 'Thursday',
      week: 1,
      timezone: 'UTC',
    },
  ],
  [
    'time',
    { at: '2026-03-28T12:00:00', timezone: 'Europe/Berlin', add: 'P1D', until: '2026-03-30T10:00:00Z' },
    expect.objectContaining({
      local: '2026-03-29T12:00:00+02:00',
      until: expect.objectContaining({ duration: 'P1D', seconds: 86_400, local: '2026-03-30T12:00:00+02:00' }),
    }),
  ],
  ['time', { at: 'yesterday' }, expect.stringContaining('Not a moment')],
  ['time', { add: 'P9999999Y' }, expect.stringContaining('Not a duration')],
  ['time', { timezone: 'Mars/Olympus' }, expect.stringContaining('Unknown time zone')],
])('%s of %j', async (name, input, result) => {
  const { server, run } = createWorld({
    content: { tools },
    turns: [{ calls: [call('a', name, input)] }, { text: 'Ok.' }],
  })
  await run()
  expect(toolResults(server.messages)).toEqual({ a: result })
})

test.each([
  ['is too long', '@', 300_000, 'more than'],
  ['gets a long text for each part', `map(&'${'x'.repeat(900)}', @)`, 60_000, 'far more'],
  ['would be filtered at length', `[?${'!'.repeat(900)}@]`, 100_000, 'too much work'],
  ['would be flattened many times', '[]'.repeat(400), 100_000, 'too much work'],
  ['would be sorted many times', `${'sort('.repeat(160)}@${')'.repeat(160)}`, 100_000, 'too much work'],
  ['would be walked many times', `@${'|[*]'.repeat(240)}`, 100_000, 'too much work'],
  ['would be mapped at length', `map(&${'!'.repeat(500)}@, [@,@,@][])`, 10_000, 'too much work'],
])('json refuses a value that %s', (_, query, items, expected) => {
  const json = builtinTools(new ManualClock()).find({ kind: 'builtin', name: 'json' }, agent('calling'))
  const context = { signal: new AbortController().signal, toolCallId: 'a', runId: 'run_a' }
  expect(() => json?.execute({ query, value: Array(items).fill(1) }, context)).toThrow(expected)
})

test('json answers ordinary queries of large values', () => {
  const json = builtinTools(new ManualClock()).find({ kind: 'builtin', name: 'json' }, agent('calling'))
  const value = { items: Array.from({ length: 2_000 }, (_, at) => ({ name: `n${at}`, price: at % 100, tags: ['a'] })) }
  const context = { signal: new AbortController().signal, toolCallId: 'a', runId: 'run_a' }
  const query = 'items[?price > `98` && contains(tags, `"a"`)] | sort_by(@, &name)[:1].{name: name, price: price}'
  expect(json?.execute({ query, value }, context) as object).toEqual({ result: [{ name: 'n1099', price: 99 }] })
})

test('every builtin tool is idempotent, and has a description', () => {
  const found = builtinTools(new ManualClock())
  const calling = agent('calling')
  for (const tool of tools) {
    const executor = found.find(tool, calling)
    expect(executor).toMatchObject({ idempotent: true, inputSchema: { type: 'object' } })
    expect(executor?.description.length).toBeGreaterThan(20)
  }
  expect(found.find({ kind: 'operation', name: 'clock', operation: 'a.b' }, calling)).toBeUndefined()
})
