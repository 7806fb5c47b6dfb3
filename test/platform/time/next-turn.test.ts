/** Work in pieces leaves the event loop to others, however much of it there is. */
import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/platform/time/next-turn.ts'

const pieceMs = 3

test('of many long pieces of work only a few go on in one turn of the event loop', async () => {
  let [pieces, inTurn, most, isOver] = [0, 0, 0, false]
  const turn = () => {
    most = Math.max(most, inTurn)
    inTurn = 0
    if (!isOver) setImmediate(turn)
  }
  const work = async () => {
    for (let count = 0; count < 3; count += 1) {
      await nextTurn()
      for (const until = performance.now() + pieceMs; performance.now() < until; );
      pieces += 1
      inTurn += 1
    }
  }
  turn()
  await Promise.all(Array.from({ length: 30 }, work))
  isOver = true
  expect(pieces).toBe(90)
  // the share of a turn, and the piece that exceeds it
  expect(most).toBeLessThanOrEqual(4)
})

test('short pieces all go on in the same turn, in order', async () => {
  const order: number[] = []
  let turns = 0
  setImmediate(() => {
    turns += 1
  })
  await Promise.all(Array.from({ length: 100 }, (_, index) => nextTurn().then(() => order.push(index))))
  expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index))
  expect(turns).toBe(1)
})
