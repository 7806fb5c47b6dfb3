/** Starts of runs take precedence over the embedded runner: it leases a few runs after each commit. */
import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/platform/time/next-turn.ts'
import { AdmissionPrecedence } from '../../../src/runs/admission/precedence.ts'
import { ManualClock } from '../../runtime/support/clock.ts'

const clock = new ManualClock(1_000_000)
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

/** The number of runs that a permanently busy runner leases; it stops with the test. */
function runner(precedence: AdmissionPrecedence) {
  const taken = { count: 0, isOver: false }
  const take = async () => {
    while (!taken.isOver) {
      await precedence.giveWay()
      taken.count += 1
    }
  }
  void take()
  return taken
}

test('without starts the runner leases all runs', async () => {
  const taken = runner(new AdmissionPrecedence(clock))
  await turns(100)
  taken.isOver = true
  expect(taken.count).toBeGreaterThan(100)
})

test('during starts it leases eight, and eight more after each commit', async () => {
  const precedence = new AdmissionPrecedence(clock)
  const begin = () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    return { commit: () => resolve('started'), started: precedence.during(() => promise) }
  }
  let [one, other] = [begin(), begin()]
  const taken = runner(precedence)
  await turns(50)
  expect(taken.count).toBe(8)

  one.commit()
  expect(await one.started).toBe('started')
  await turns(50)
  expect(taken.count).toBe(8)

  other.commit()
  await other.started
  ;[one, other] = [begin(), begin()]
  await turns(50)
  expect(taken.count).toBe(16)
  taken.isOver = true
})

test('refused or endless starts do not block it', async () => {
  const precedence = new AdmissionPrecedence(clock)
  const refused = precedence.during(() => Promise.reject(new Error('refused')))
  expect(refused).rejects.toThrow('refused')
  void precedence.during(() => new Promise(() => {}))
  const taken = runner(precedence)
  await turns(50)
  expect(taken.count).toBe(8)
  await clock.advance(20)
  await turns(50)
  expect(taken.count).toBe(16)
  taken.isOver = true
})
