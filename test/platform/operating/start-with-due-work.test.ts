/** A start waits for due timers and effects only for a while. */
import { expect, test } from 'bun:test'
import type { Core } from '../../../src/server/core.ts'
import { startCore } from '../../../src/server/core-life.ts'
import { ManualClock } from '../../runtime/support/clock.ts'

/** A core whose due timers and effects end with `due`. */
function coreWith(due: Promise<void>) {
  const clock = new ManualClock()
  const started: string[] = []
  const part = (name: string) => ({ start: async () => void started.push(name) })
  const core = {
    clock,
    tracing: null,
    systemAgents: { follow: () => {} },
    broadcasts: part('broadcasts'),
    actors: { start: () => due },
    invocations: part('invocations'),
    deliveryWork: part('deliveries'),
    attempts: part('attempts'),
    pool: part('runner'),
  } as unknown as Core
  return { clock, started, core }
}
const everything = ['broadcasts', 'invocations', 'deliveries', 'attempts', 'runner']

test('what is due is carried out before the server serves', async () => {
  const { promise: due, resolve: end } = Promise.withResolvers<void>()
  const { started, core } = coreWith(due)
  const starting = startCore(core)
  await Bun.sleep(0)
  expect(started).toEqual(['broadcasts'])
  end()
  await starting
  expect(started).toEqual(everything)
})

test('after two seconds the server serves while the rest follows', async () => {
  const { clock, started, core } = coreWith(new Promise(() => {}))
  const starting = startCore(core)
  await Bun.sleep(0)
  await clock.advance(1_999)
  expect(started).toEqual(['broadcasts'])
  await clock.advance(1)
  await starting
  expect(started).toEqual(everything)
})
