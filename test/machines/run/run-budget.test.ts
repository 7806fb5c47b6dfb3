/** The usage that a run counts, and how its budget ends it. Source: contract 13, "Budgets". */
import { describe, expect, test } from 'bun:test'
import { type Cost, costOf, nothingSpent, type RunBudget, smallerBudget } from '../../../machines/run/budget.ts'
import { admit, events, follow, type Given, pathTo, type Run, send } from './runs.ts'

const usd = (amount: string): Cost => ({ amount, currency: 'USD' })
const used = (tokens: number, cost: Cost | null): Given => ({ ...events.progressed, used: { tokens, cost } })
const begins = (currency: string | null): Given => ({ ...events.progressed, begins: { currency } })

/** A running run with this budget, after these model calls. */
const atWork = (budget: RunBudget | undefined, ...calls: Given[]): Run =>
  follow([...pathTo.running, ...calls], admit(2, { spent: nothingSpent, ...(budget && { budget }) }))

const stateAfter = (run: Run, event: Given) => send(run, event)?.state

describe('usage', () => {
  test('tokens and costs add up exactly', () => {
    const run = atWork(undefined, ...Array.from({ length: 10 }, () => used(3, usd('0.1'))))
    expect(run.context.spent).toEqual({ tokens: 30, amount: '1', currency: 'USD' })
    const small = atWork(undefined, used(1, usd('0.000000000000000000000001')), used(1, usd('999999999999999')))
    expect(small.context.spent?.amount).toBe('999999999999999.000000000000000000000001')
  })
  test('costs are unknown before the first call, after one without a price, and in two currencies', () => {
    expect(costOf(nothingSpent)).toBeNull()
    const costs = (...calls: Given[]) => costOf(atWork(undefined, ...calls).context.spent ?? nothingSpent)
    expect(costs(used(1, usd('0')))).toEqual(usd('0'))
    expect(costs(used(1, usd('1')), used(1, null), used(1, usd('1')))).toBeNull()
    expect(costs(used(1, null))).toBeNull()
    expect(costs(used(1, usd('1')), used(1, { amount: '1', currency: 'EUR' }))).toBeNull()
  })
  test('a run without a budget counts nothing, and refuses late calls', () => {
    const run = follow(pathTo.running)
    expect(send(run, used(3, usd('1')))?.context).toBe(run.context)
    expect(send(run, events.metered)).toBeUndefined()
  })
  test('a lost attempt and a continue keep the counts', () => {
    const run = atWork({ maxTokens: 9 }, used(3, null), events.attemptLost, ...pathTo.running, used(3, null))
    const again = follow([events.completed, events.continue, ...pathTo.running, used(3, null)], run)
    expect(again.context.spent?.tokens).toBe(9)
    expect(stateAfter(again, begins(null))).toBe('failed')
  })
  test('the usage of a call counts during a cancellation and after the end', () => {
    const canceled = follow([events.cancel, used(2, usd('1')), events.reported, events.metered], atWork(undefined))
    expect(canceled).toMatchObject({ state: 'canceled', context: { spent: { tokens: 7, amount: null } } })
  })
})

describe('a model step', () => {
  const spent = [used(5, usd('0.5'))]
  test.each<[string, RunBudget, Given[], string | null, string]>([
    ['begins below the token limit', { maxTokens: 6 }, spent, null, 'running'],
    ['does not begin at the token limit', { maxTokens: 5 }, spent, null, 'failed'],
    ['does not begin beyond it', { maxTokens: 4 }, spent, null, 'failed'],
    ['does not begin with a limit of zero', { maxTokens: 0 }, [], null, 'failed'],
    ['begins below the cost limit', { maxCost: usd('0.500000000000000000000001') }, spent, 'USD', 'running'],
    ['does not begin at the cost limit', { maxCost: usd('0.5') }, spent, 'USD', 'failed'],
    ['does not begin without a price', { maxCost: usd('9') }, [], null, 'failed'],
    ['does not begin with a price in another currency', { maxCost: usd('9') }, [], 'EUR', 'failed'],
    ['does not begin after a step without a price', { maxCost: usd('9') }, [used(1, null)], 'USD', 'failed'],
    [
      'does not begin after a step in another currency',
      { maxCost: usd('9') },
      [used(1, { amount: '1', currency: 'EUR' })],
      'USD',
      'failed',
    ],
    ['begins within both limits', { maxTokens: 6, maxCost: usd('0.6') }, spent, 'USD', 'running'],
    ['does not begin beyond one of the limits', { maxTokens: 6, maxCost: usd('0.4') }, spent, 'USD', 'failed'],
  ])('%s', (_, budget, calls, currency, state) => {
    const after = send(atWork(budget, ...calls), begins(currency))
    expect(after?.state).toBe(state)
    if (state === 'failed') {
      expect(after?.context).toMatchObject({ cause: { code: 'budget_exhausted' }, lease: null })
      expect(after?.effects.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['signalWorker', 'releaseMachine', 'startNextInput']),
      )
    }
  })
  test('other steps are not affected, nor is a run without a budget', () => {
    expect(stateAfter(atWork({ maxTokens: 1 }, ...spent), events.progressed)).toBe('running')
    expect(stateAfter(atWork(undefined, ...spent), begins(null))).toBe('running')
  })
  test('of an older attempt does not end the run', () => {
    const stale = { ...events.progressed, begins: { currency: null }, fencingToken: 6 }
    expect(send(atWork({ maxTokens: 1 }, ...spent), stale)).toBeUndefined()
  })
})

test('a run is warned once, at four fifths of a limit', () => {
  const warned = (budget: RunBudget, ...calls: Given[]) => atWork(budget, ...calls).context.budgetWarned ?? false
  expect(warned({ maxTokens: 10 }, used(7, null))).toBe(false)
  expect(warned({ maxTokens: 10 }, used(8, null))).toBe(true)
  expect(warned({ maxTokens: 10 }, used(4, null), used(4, null), used(9, null))).toBe(true)
  expect(warned({ maxCost: usd('0.10') }, used(1, usd('0.0799')))).toBe(false)
  expect(warned({ maxCost: usd('0.10') }, used(1, usd('0.08')))).toBe(true)
  expect(warned({ maxCost: usd('0.10') }, used(1, null))).toBe(false)
})

test('of two budgets, the smaller value of each limit applies', () => {
  expect(smallerBudget({}, {})).toEqual({})
  expect(smallerBudget({ maxTokens: 5 }, { maxCost: usd('1') })).toEqual({ maxTokens: 5, maxCost: usd('1') })
  expect(smallerBudget({ maxTokens: 5, maxCost: usd('2') }, { maxTokens: 9, maxCost: usd('10') })).toEqual({
    maxTokens: 5,
    maxCost: usd('2'),
  })
  expect(smallerBudget({ maxCost: usd('10') }, { maxCost: usd('9.99') })).toEqual({ maxCost: usd('9.99') })
  expect(smallerBudget({ maxCost: usd('1') }, { maxCost: { amount: '1', currency: 'EUR' } })).toBeUndefined()
})
