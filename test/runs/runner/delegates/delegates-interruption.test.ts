/** Runs that are stopped, drained or continued with new input while a delegate works. */
import { expect, test } from 'bun:test'
import { settle } from '../support/clock.ts'
import { expectWellFormed, toolResults } from '../support/conversations.ts'
import { ask, team } from '../support/team.ts'
import { agent, call, operation, operationTool } from '../support/world.ts'

const never = new Promise<void>(() => {})

test.each(['cancel', 'drain'] as const)('%s reaches the model call of a delegate', async (signal) => {
  const { server, run, handBack, model } = team([agent('slow')], {
    turns: [{ calls: [ask('slow', 'Think')] }, { text: 'Done.' }],
    turnsOf: { slow: [{ text: 'Well', until: never }] },
  })
  const ended = run()
  await settle()
  signal === 'cancel' ? server.tell('cancel') : handBack.abort()
  expect(await ended).toBe(signal === 'cancel' ? 'canceled' : 'drained')
  expect(model.requests.at(-1)!.signal.aborted).toBe(true)
  expect(server.stepsOf('delegate')).toMatchObject([{ status: 'canceled' }])
  const { messages, delegates } = server.checkpoints.at(-1)!.runtimeCheckpoint
  expectWellFormed(messages, signal === 'drain' ? ['a'] : [])
  expect(delegates).toBeUndefined()
  if (signal === 'cancel') expect(toolResults(messages)).toEqual({ a: { canceled: expect.any(String) } })
})

test('cancel lets a writing tool of a delegate finish', async () => {
  const written = Promise.withResolvers<{ result: string }>()
  const { server, run } = team(
    [agent('writer', { tools: [operation('write')] }, { operations: { write: operationTool(false) } })],
    {
      turns: [{ calls: [ask('writer', 'Write')] }, { text: 'Done.' }],
      turnsOf: { writer: [{ calls: [call('w', 'write')] }, { text: 'Written.' }] },
    },
  )
  server.onOperation = () => written.promise
  const ended = run()
  await settle()
  server.tell('cancel')
  await settle()
  expect(server.completions).toEqual([])
  written.resolve({ result: 'ok' })
  expect(await ended).toBe('canceled')
  expect(server.stepsOf('tool')).toMatchObject([{ status: 'completed', update: { output: 'ok' } }])
  expectWellFormed(server.messages)
})

test.each([{ wrote: false }, { wrote: true }])(
  'a new input closes the calls of delegates, and says so where one may have had an effect (wrote: $wrote)',
  async ({ wrote }) => {
    const { server, run } = team(
      [agent('writer', { tools: [operation('write')] }, { operations: { write: operationTool(!wrote) } })],
      {
        turns: [{ calls: [ask('writer', 'Write')] }, { text: 'Fine.' }],
        turnsOf: { writer: [{ calls: [call('w', 'write')] }, { text: 'Written.' }] },
      },
    )
    server.onOperation = () => {
      server.endAttempt()
      return { result: 'ok' }
    }
    expect(await run()).toBe('lost')
    server.continue({ query: 'Never mind', contents: [] })
    server.onOperation = () => ({ result: 'again' })
    await run()
    const [first] = Object.values(toolResults(server.messages))
    if (wrote) expect(String(first)).toStartWith('Outcome unknown')
    else expect(first).toEqual({ superseded: expect.any(String) })
    expectWellFormed(server.messages)
  },
)
