import { expect, test } from 'bun:test'
import { DeltaPace, DeltaStream } from '../../../src/runs/runner/deltas.ts'
import type { StepDelta } from '../../../src/runs/runner/protocol/protocol.ts'
import { ManualClock, settle } from './support/clock.ts'

function createStream(send: (text: string) => Promise<unknown> = async () => {}) {
  const clock = new ManualClock()
  const sent: string[][] = []
  const stream = new DeltaStream(1, new DeltaPace(clock), (deltas: StepDelta[]) => {
    sent.push(deltas.map(({ data }) => `${data.kind}:${data.text}`))
    return send(sent.at(-1)!.join())
  })
  return { clock, sent, stream }
}

test('text is held back for 25 ms and then sent together', async () => {
  const { clock, sent, stream } = createStream()
  stream.append('text', 'a')
  stream.append('text', 'b')
  await clock.advance(24)
  expect(sent).toEqual([])
  await clock.advance(1)
  expect(sent).toEqual([['text:ab']])
})

test('2 KB are sent at once', () => {
  const { sent, stream } = createStream()
  stream.append('text', 'x'.repeat(2_048))
  expect(sent).toHaveLength(1)
})

test('kinds, and inputs of different calls, stay separate and in order', () => {
  const { sent, stream } = createStream()
  stream.append('reasoning', 'r')
  stream.append('text', 'a')
  stream.append('toolInput', '{}', { toolCallId: 'call_1', toolName: 'echo' })
  stream.append('toolInput', '{}', { toolCallId: 'call_2', toolName: 'echo' })
  stream.append('toolInput', ' ', { toolCallId: 'call_2', toolName: 'echo' })
  stream.close()
  expect(sent).toEqual([['reasoning:r', 'text:a', 'toolInput:{}', 'toolInput:{} ']])
})

test('a slow server gets larger groups, one at a time', async () => {
  const first = Promise.withResolvers<void>()
  const { clock, sent, stream } = createStream(() => first.promise)
  stream.append('text', 'a')
  await clock.advance(25)
  for (const text of ['b', 'x'.repeat(5_000), 'c']) stream.append('text', text)
  await clock.advance(1_000)
  expect(sent).toHaveLength(1)
  first.resolve()
  await settle()
  await clock.advance(25)
  expect(sent).toHaveLength(2)
  expect(sent[1]![0]).toHaveLength('text:'.length + 5_002)
})

test('the end sends the rest, even while a group is being sent, and accepts nothing more', async () => {
  const { clock, sent, stream } = createStream(() => new Promise(() => {}))
  stream.append('text', 'a')
  await clock.advance(25)
  stream.append('text', 'b')
  stream.close()
  stream.append('text', 'c')
  stream.close()
  await clock.advance(1_000)
  expect(sent).toEqual([['text:a'], ['text:b']])
})

test('a long text pauses occasionally until the server has caught up', async () => {
  const first = Promise.withResolvers<void>()
  const { stream } = createStream(() => first.promise)
  stream.append('text', 'x'.repeat(60_000))
  expect(stream.pause()).toBeNull()
  stream.append('text', 'x'.repeat(10_000))
  let over = false
  const pause = stream.pause()!.then(() => {
    over = true
  })
  await settle()
  expect(over).toBe(false)
  first.resolve()
  await pause
  expect(stream.pause()).toBeNull()
})

test('without held-back text there is no timer', async () => {
  const { clock, stream } = createStream()
  stream.append('text', 'a')
  stream.close()
  await clock.advance(25)
  expect(clock.pending).toBe(0)
})
