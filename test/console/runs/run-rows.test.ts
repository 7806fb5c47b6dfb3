/** The rows of the list of runs, updated by pages and changes. */
import { describe, expect, test } from 'bun:test'
import { type RunOrder, RunRows } from '../../../src/console/pages/runs/list/rows/run-rows.ts'
import type { PresentedRun } from '../../../src/runs/present.ts'

/** A run with this number; runs are created and changed in the order of their numbers. */
const run = (number: number, changed = number) =>
  ({ id: `run_${1_000 + number}`, updatedAt: new Date(changed * 1_000).toISOString() }) as PresentedRun
const runs = (...numbers: number[]) => numbers.map((number) => run(number))
const page = (agentRuns: PresentedRun[], nextCursor?: string) => ({
  agentRuns,
  pagination: { hasMore: nextCursor !== undefined, ...(nextCursor && { nextCursor }) },
})
const newest: RunOrder = { sort: 'createdAt', order: 'desc' }
const lastChanged: RunOrder = { sort: 'updatedAt', order: 'desc' }
const numbersOf = ({ state }: RunRows) => state.rows.map(({ id }) => Number(id.slice(4)) - 1_000)

function loaded(by: RunOrder, ...pages: PresentedRun[][]): RunRows {
  const rows = new RunRows(by)
  pages.forEach((some, place) => {
    const next = place < pages.length - 1 ? `after ${place}` : undefined
    if (place === 0) rows.takeFirst(page(some, next))
    else rows.append(page(some, next))
  })
  return rows
}

describe('rows of runs', () => {
  test('stay after the first page when it is read again, each once', () => {
    const rows = loaded(lastChanged, runs(6, 5), runs(4, 3), runs(2, 1))
    rows.takeFirst(page([run(3, 8), ...runs(7, 6)], 'after 0'))
    expect(numbersOf(rows)).toEqual([3, 7, 6, 5, 4, 2, 1])
  })

  test('are those of the first page if there are more new runs than it has', () => {
    const rows = loaded(newest, runs(6, 5), runs(4, 3))
    rows.takeFirst(page(runs(12, 11), 'after 11'))
    expect(numbersOf(rows)).toEqual([12, 11])
    expect(rows.state.cursor).toBe('after 11')
  })

  test('of a list that is left open do not become more and more, and stay while the user reads them', () => {
    const rows = loaded(newest, runs(2, 1), [run(0)])
    const ids = Array.from({ length: 2_000 }, (_, place) => place + 3)
    for (const number of ids) rows.update([`run_${1_000 + number}`], [run(number)])
    rows.readBelow(true)
    rows.takeFirst(page(runs(2_002, 2_001), 'after 2001'))
    expect(numbersOf(rows)).toHaveLength(2_003)
    rows.readBelow(false)
    rows.takeFirst(page(runs(2_002, 2_001), 'after 2001'))
    expect(numbersOf(rows)).toEqual([2_002, 2_001])
    expect(rows.state.cursor).toBe('after 2001')
  })

  test('appear once, even if a page contains them again', () => {
    expect(numbersOf(loaded(newest, runs(6, 5, 4), runs(4, 3)))).toEqual([6, 5, 4, 3])
  })

  test('move to their new place after a change', () => {
    const rows = loaded(lastChanged, runs(6, 5, 4, 3, 2, 1))
    rows.update(['run_1002', 'run_1005'], [run(5, 9), run(2, 8)])
    expect(numbersOf(rows)).toEqual([5, 2, 6, 4, 3, 1])
    rows.update(['run_1005'], [run(5, 0)])
    expect(numbersOf(rows)).toEqual([2, 6, 4, 3, 1, 5])
  })

  test('disappear when they leave the list, and appear when they are new', () => {
    const rows = loaded(newest, runs(6, 4, 2))
    rows.update(['run_1004', 'run_1005', 'run_1007'], runs(5, 7))
    expect(numbersOf(rows)).toEqual([7, 6, 5, 2])
  })

  test('after the loaded ones wait for their page', () => {
    const rows = new RunRows(newest)
    rows.takeFirst(page(runs(6, 5), 'after 5'))
    rows.update(['run_1002', 'run_1007'], runs(2, 7))
    expect(numbersOf(rows)).toEqual([7, 6, 5])
  })

  test('that are new wait above while the user reads further down', () => {
    const rows = loaded(newest, runs(6, 5, 4))
    rows.readBelow(true)
    rows.update(['run_1007', 'run_1008'], runs(8, 7))
    expect({ shown: numbersOf(rows), waiting: rows.state.waiting }).toEqual({ shown: [6, 5, 4], waiting: 2 })
    rows.update(['run_1006'], [])
    rows.update(['run_1009'], runs(9))
    rows.readBelow(false)
    expect({ shown: numbersOf(rows), waiting: rows.state.waiting }).toEqual({ shown: [9, 8, 7, 5, 4], waiting: 0 })
  })
})
