/** The frames of a run that several servers commit: they arrive late, twice, out of order or not at all. */
import { expect, test } from 'bun:test'
import { RunHub } from '../../../src/runs/stream/hub.ts'
import type { RenderedFrame } from '../../../src/runs/stream/render.ts'
import { eventually } from '../../support/process.ts'

const frame = (sequence: number): RenderedFrame => ({
  sequence,
  type: 'step.delta',
  root: true,
  text: `${sequence}\n`,
})
const frames = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => frame(first + at))

/** A hub on a store with frames up to `stored`, and a reader that has read up to `from`. */
function open(stored: number, from: number) {
  const reads: number[] = []
  const received: number[] = []
  const store = { last: stored, away: false }
  const hub = new RunHub(async (after) => {
    reads.push(after)
    if (store.away) throw new Error('The store is away.')
    return frames(after + 1, Math.min(store.last, after + 10))
  })
  let position = from
  const pump = () => {
    for (let batch = hub.batchAfter(position); batch; batch = hub.batchAfter(position)) {
      received.push(...batch.frames.map(({ sequence }) => sequence).filter((sequence) => sequence > position))
      position = batch.last
    }
  }
  hub.readers.add({ pump, say() {}, stop() {} })
  return { hub, received, reads, store }
}
const upTo = (first: number, last: number) => frames(first, last).map(({ sequence }) => sequence)

test('consecutive frames are sent without querying the store', () => {
  const { hub, received, reads } = open(3, 3)
  hub.begin(3, false)
  hub.take(frames(4, 5))
  hub.take(frames(6, 6))
  expect(received).toEqual([4, 5, 6])
  expect(reads).toEqual([])
})

test('frames from before the hub knows its beginning follow once it does', () => {
  const { hub, received } = open(5, 4)
  hub.take(frames(3, 4))
  hub.take(frames(5, 6))
  expect(received).toEqual([])
  hub.begin(4, false)
  expect(received).toEqual([5, 6])
})

test('repeated frames are sent once', () => {
  const { hub, received } = open(3, 3)
  hub.begin(3, false)
  hub.take(frames(4, 5))
  hub.take(frames(4, 5))
  hub.take(frames(5, 6))
  expect(received).toEqual([4, 5, 6])
})

test('missing frames are read from the store', async () => {
  const { hub, received, store } = open(3, 3)
  hub.begin(3, false)
  store.last = 30
  hub.take(frames(29, 30))
  hub.take(frames(4, 4))
  await eventually('all frames', () => received.length === 27)
  expect(received).toEqual(upTo(4, 30))
})

test('a hint without frames is enough', async () => {
  const { hub, received, store } = open(3, 3)
  hub.begin(3, false)
  store.last = 25
  hub.expect(25)
  await eventually('all frames', () => received.length === 22)
  expect(received).toEqual(upTo(4, 25))
})

test('while the store is unavailable nothing is skipped: the next hint continues', async () => {
  const { hub, received, store, reads } = open(3, 3)
  hub.begin(3, false)
  store.away = true
  store.last = 6
  hub.expect(6)
  await eventually('a look', () => reads.length === 1)
  store.away = false
  hub.expect(6)
  await eventually('all frames', () => received.length === 3)
  expect(received).toEqual([4, 5, 6])
})
