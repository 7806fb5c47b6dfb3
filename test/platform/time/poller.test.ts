/** Looks that are asked for at any moment. Source: design 3. */
import { expect, test } from 'bun:test'
import { Poller } from '../../../src/platform/time/poller.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'

const steps = async (count: number) => {
  for (let step = 0; step < count; step += 1) await Promise.resolve()
}

test.each(Array.from({ length: 12 }, (_, gap) => gap))(
  'what is asked for %i moments after a look began is looked for',
  async (gap) => {
    const told: string[] = []
    const poller = new Poller(new HandClock(), async () => {
      told.push('look')
      await steps(2)
      return Number.POSITIVE_INFINITY
    })
    await poller.start()
    void poller.now()
    await steps(gap)
    told.push('asked')
    void poller.now()
    await steps(40)
    await poller.stop()
    expect(told.at(-1)).toBe('look')
  },
)
