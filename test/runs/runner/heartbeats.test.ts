import { expect, test } from 'bun:test'
import { leaseMs } from './support/channel.ts'
import { settle } from './support/clock.ts'
import { call, createWorld, operation } from './support/world.ts'

const never = new Promise<void>(() => {})

test('heartbeats continue during a long tool, and report progress', async () => {
  const tool = Promise.withResolvers<string>()
  const world = createWorld({
    turns: [{ calls: [call('a', 'write')] }, { text: 'Done.' }],
    content: { tools: [operation('write')] },
    executors: { write: { idempotent: false, execute: () => tool.promise } },
  })
  const ended = world.run()
  await world.clock.advance(65_000)
  expect(world.server.heartbeats).toHaveLength(6)
  expect(world.server.heartbeats[0]!.lastStepSequence).toBeGreaterThan(0)
  tool.resolve('ok')
  expect(await ended).toBe('completed')
  await world.clock.advance(60_000)
  expect(world.server.heartbeats).toHaveLength(6)
  expect(world.clock.pending).toBe(0)
})

test('a missed heartbeat is repeated, and the attempt continues', async () => {
  const tool = Promise.withResolvers<string>()
  const world = createWorld({
    turns: [{ calls: [call('a', 'write')] }, { text: 'Done.' }],
    content: { tools: [operation('write')] },
    executors: { write: { idempotent: false, execute: () => tool.promise } },
  })
  let misses = 4
  world.server.onHeartbeat = () => {
    if (misses-- > 0) throw new Error('The network is away.')
  }
  const ended = world.run()
  await world.clock.advance(45_000)
  tool.resolve('ok')
  expect(await ended).toBe('completed')
})

test.each<[string, () => void | Promise<void>]>([
  ['fail', () => Promise.reject(new Error('The network is away.'))],
  ['are never answered', () => never],
])('when heartbeats %s until the lease has expired, the attempt stops by itself', async (_, onHeartbeat) => {
  let aborted = false
  const world = createWorld({
    turns: [{ calls: [call('a', 'write')] }],
    content: { tools: [operation('write')] },
    executors: {
      write: {
        idempotent: false,
        execute: (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted = true
              reject(signal.reason)
            })
          }),
      },
    },
  })
  world.server.onHeartbeat = onHeartbeat
  const ended = world.run()
  await world.clock.advance(leaseMs - 1_000)
  expect(aborted).toBe(false)
  await world.clock.advance(2_000)
  expect(await ended).toBe('lost')
  expect(aborted).toBe(true)
  // The server has not noticed yet, but nothing more is reported.
  expect(world.server.names.at(-1)).toBe('startStep')
})

test('a stale heartbeat ends the attempt', async () => {
  const world = createWorld({ turns: [{ text: 'Hi', until: never }] })
  const ended = world.run()
  await settle()
  world.server.endAttempt()
  await world.clock.advance(11_000)
  expect(await ended).toBe('lost')
})
