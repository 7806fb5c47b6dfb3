/** Polls that are requested at any time. Source: design 3. */
import { expect, test } from 'bun:test'
import { Poller } from '../../../src/platform/time/poller.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'

const steps = async (count: number) => {
  for (let step = 0; step < count; step += 1) await Promise.resolve()
}

test.each(Array.from({ length: 12 }, (_, gap) => gap))(
  'a request %i moments after a poll began causes another poll',
  async (gap) => {
    const calls: string[] = []
    const poller = new Poller(new HandClock(), async () => {
      calls.push('look')
      await steps(2)
      return Number.POSITIVE_INFINITY
    })
    await poller.start()
    void poller.now()
    await steps(gap)
    calls.push('asked')
    void poller.now()
    await steps(40)
    await poller.stop()
    expect(calls.at(-1)).toBe('look')
  },
)
