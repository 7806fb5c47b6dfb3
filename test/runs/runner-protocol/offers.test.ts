/** When other servers hear of a queued run. */
import { describe, expect, test } from 'bun:test'
import { Offers } from '../../../src/runs/attempts/leasing/offers.ts'
import { ManualClock } from '../../runtime/support/clock.ts'

const now = 1_000_000

function server({ free = 1, isShared = true, isExclusive = false } = {}) {
  const clock = new ManualClock(now)
  const [waiting, told] = [new Set<string>(), [] as string[]]
  const queue = { offer: (runId: string) => void waiting.add(runId), has: (runId: string) => waiting.has(runId) }
  const hints = { isShared, tell: (name: string, id: string) => void told.push(`${name} ${id}`) }
  const offers = new Offers({ queue, hints, clock, isExclusive: () => isExclusive })
  offers.own = { isFreeFor: () => free > 0 }
  return { clock, offers, waiting, told, offer: (runId: string, at = now) => offers.offer(runId, 'org_a', at) }
}

test('a run that a free slot of the server itself takes soon is not offered to others', async () => {
  const { clock, waiting, told, offer } = server()
  offer('run_1')
  await clock.advance(500)
  waiting.delete('run_1')
  await clock.advance(1_000)
  expect(told).toEqual([])
})

test('a run that still waits then is offered to others', async () => {
  const { clock, told, offer } = server()
  offer('run_1')
  expect(told).toEqual([])
  await clock.advance(1_000)
  expect(told).toEqual(['queued org_a'])
})

describe('a run is offered to others at once', () => {
  test.each<[string, Parameters<typeof server>[0]]>([
    ['by a server without a free slot', { free: 0 }],
    ['if only runners of its organization execute it', { isExclusive: true }],
  ])('%s', (_, options) => {
    const { told, offer } = server(options)
    offer('run_1')
    expect(told).toEqual(['queued org_a'])
  })
  test('by a server without a runner', () => {
    const { offers, told, offer } = server()
    offers.own = undefined
    offer('run_1')
    expect(told).toEqual(['queued org_a'])
  })
  test('if it may be leased only later', () => {
    const { told, offer } = server()
    offer('run_1', now + 5_000)
    expect(told).toEqual(['queued org_a'])
  })
})

test('a server that takes no more runs tells others at once of those that wait, and of later ones', async () => {
  const { clock, offers, told, offer } = server()
  offer('run_1')
  offers.retire()
  expect(told).toEqual(['queued org_a'])
  offer('run_2')
  expect(told).toHaveLength(2)
  await clock.advance(1_000)
  expect(told).toHaveLength(2)
})

test('without other servers nothing is told', async () => {
  const { clock, told, offer } = server({ isShared: false, free: 0 })
  offer('run_1')
  await clock.advance(1_000)
  expect(told).toEqual([])
})
