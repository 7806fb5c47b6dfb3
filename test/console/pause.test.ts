/** Waiting between two looks at the server: longer after each failure, and never past its end. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { backOffMs, pause, untilSeen } from '../../src/console/data/pause.ts'
import { openDom } from './support/dom.ts'

let close: () => void
let visibility: DocumentVisibilityState = 'visible'
beforeAll(() => {
  close = openDom()
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility })
})
afterAll(() => {
  Reflect.deleteProperty(document, 'visibilityState')
  close()
})

test.each([
  [0, 2_000],
  [1, 4_000],
  [2, 8_000],
  [3, 15_000],
  [50, 15_000],
])('after %i failures more it waits %i ms', (failures, ms) => expect(backOffMs(2_000, failures)).toBe(ms))

test('an aborted pause ends at once', async () => {
  const over = new AbortController()
  const waits = pause(60_000, over.signal)
  over.abort()
  await waits
  await pause(60_000, over.signal)
})

test('a pause lasts until a hidden page is visible', async () => {
  const { signal } = new AbortController()
  await untilSeen(signal)
  visibility = 'hidden'
  let isSeen = false
  const waits = untilSeen(signal).then(() => {
    isSeen = true
  })
  document.dispatchEvent(new Event('visibilitychange'))
  await Promise.resolve()
  expect(isSeen).toBe(false)
  visibility = 'visible'
  document.dispatchEvent(new Event('visibilitychange'))
  await waits
  expect(isSeen).toBe(true)
})

test('an abort ends the pause of a hidden page', async () => {
  visibility = 'hidden'
  const over = new AbortController()
  const waits = untilSeen(over.signal)
  over.abort()
  await waits
})
