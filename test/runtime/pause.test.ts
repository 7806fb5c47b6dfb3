/** A pause takes the given time, unless a signal ends it. */
import { expect, test } from 'bun:test'
import { pause } from '../../src/platform/time/pause.ts'
import { HandClock } from './statecharts/clock.ts'

/** Whether the promise is settled after all pending microtasks and callbacks. */
const isOver = (waiting: Promise<void>) =>
  Promise.race([waiting.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])

test('it ends after the time, not before', async () => {
  const clock = new HandClock()
  const waiting = pause(clock, 100)
  clock.advance(99)
  expect(await isOver(waiting)).toBe(false)
  clock.advance(1)
  expect(await isOver(waiting)).toBe(true)
})

test('it ends with the signal, and leaves no timer', async () => {
  const clock = new HandClock()
  const stopped = new AbortController()
  const waiting = pause(clock, 100, stopped.signal)
  expect(await isOver(waiting)).toBe(false)
  stopped.abort(new Error('The server stops.'))
  expect(await isOver(waiting)).toBe(true)
  expect(clock.waiting).toBe(0)
})

test('it does not begin after the signal', async () => {
  const clock = new HandClock()
  expect(await isOver(pause(clock, 100, AbortSignal.abort()))).toBe(true)
  expect(clock.waiting).toBe(0)
})

test('it leaves no listener on a signal that outlives it', async () => {
  const clock = new HandClock()
  const { signal } = new AbortController()
  const left: string[] = []
  signal.removeEventListener = (name: string) => void left.push(name)
  const waiting = pause(clock, 100, signal)
  clock.advance(100)
  await waiting
  expect(left).toEqual(['abort'])
})
