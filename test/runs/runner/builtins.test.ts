import { expect, test } from 'bun:test'
import type { AgentTool } from '../../../src/runs/runner/protocol/protocol.ts'
import { builtinTools } from '../../../src/runs/runner/tools/builtins.ts'
import { ManualClock } from './support/clock.ts'
import { toolResults } from './support/conversations.ts'
import { agent, call, createWorld } from './support/world.ts'

const tools: AgentTool[] = (['clock', 'calculator', 'echo', 'fetch'] as const).map((name) => ({
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
])('%s of %j', async (name, input, result) => {
  const { server, run } = createWorld({
    content: { tools },
    turns: [{ calls: [call('a', name, input)] }, { text: 'Ok.' }],
  })
  await run()
  expect(toolResults(server.messages)).toEqual({ a: result })
})

test('every builtin tool may be repeated, and describes itself', () => {
  const found = builtinTools(new ManualClock())
  const calling = agent('calling')
  for (const tool of tools) {
    const executor = found.find(tool, calling)
    expect(executor).toMatchObject({ idempotent: true, inputSchema: { type: 'object' } })
    expect(executor?.description.length).toBeGreaterThan(20)
  }
  expect(found.find({ kind: 'operation', name: 'clock', operation: 'a.b' }, calling)).toBeUndefined()
})
