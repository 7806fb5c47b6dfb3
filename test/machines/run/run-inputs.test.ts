/** Messages that wait for their turns. Source: contract 12, "`ifBusy`". */
import { describe, expect, test } from 'bun:test'
import { queuedInputsMax } from '../../../machines/run/words.ts'
import { admission, events, follow, type Given, pathTo, type Run, send, table } from './runs.ts'

const waiting = (run: Run) => run.context.queuedInputs?.map(({ query }) => query)
const enqueue = (query: string | null): Given => ({ type: 'enqueue', query })
const next = (inputId: number): Given => ({ type: 'continue', inputId, ...admission })
const effectsOf = (run: Run) => run.effects.map(({ name }) => name)

describe('a waiting message', () => {
  test('is queued behind earlier ones, and keeps the beginning of its text', () => {
    const run = follow([...pathTo.running, enqueue('one'), enqueue(null), enqueue('x'.repeat(300))])
    expect(run.state).toBe('running')
    expect(waiting(run)).toEqual(['one', null, 'x'.repeat(200)])
    expect(run.context.queuedInputs?.map(({ inputId }) => inputId)).toEqual([1, 2, 3])
  })

  test('is refused if it is the seventeenth', () => {
    const full = follow([...pathTo.running, ...Array.from({ length: queuedInputsMax }, (_, at) => enqueue(`${at}`))])
    expect(send(full, enqueue('more'))).toBeUndefined()
    for (const state of ['queued', 'running', 'awaitingToolResult', 'canceling'] as const) {
      expect(table.refusals.get(state)).toMatchObject({ enqueue: { status: 422, code: 'limit_exceeded' } })
    }
  })

  test.each(['completed', 'failed'] as const)('gets its turn when the run is %s', (end) => {
    const ended = follow([...pathTo.running, enqueue('one'), enqueue('two'), events[end]])
    expect(effectsOf(ended)).toContain('startNextInput')
    expect(waiting(ended)).toEqual(['one', 'two'])
    expect(send(ended, next(2))).toBeUndefined()
    const continued = follow([next(1)], ended)
    expect(continued.state).toBe('queued')
    expect(continued.context.chain).toBe(2)
    expect(waiting(continued)).toEqual(['two'])
    expect(send(continued, next(2))).toBeUndefined()
  })

  test('is queued behind waiting messages of an ended run', () => {
    const ended = follow([...pathTo.running, enqueue('one'), events.completed, enqueue('two')])
    expect(waiting(ended)).toEqual(['one', 'two'])
    expect(effectsOf(ended)).toEqual(['startNextInput'])
    expect(send(ended, { ...events.continue, inTurn: true })).toBeUndefined()
    expect(waiting(follow([{ ...events.continue, inTurn: true }, enqueue('one')], follow(pathTo.completed)))).toEqual([
      'one',
    ])
    expect(waiting(follow([{ type: 'enqueue', query: 'now', first: true }], ended))).toEqual(['now', 'one', 'two'])
  })

  test('does not answer a question of the run', () => {
    const run = follow([...pathTo.awaitingToolResult, enqueue('one')])
    expect(send(run, next(1))).toBeUndefined()
    expect(waiting(follow([events.continue], run))).toEqual(['one'])
  })

  test('is dropped by a cancel, and when its waiting time ends', () => {
    expect(waiting(follow([...pathTo.queued, enqueue('one'), events.cancel]))).toEqual([])
    expect(waiting(follow([...pathTo.canceling, enqueue('one'), events.cancel]))).toEqual([])
    expect(waiting(follow([...pathTo.awaitingToolResult, enqueue('one'), events.awaitDeadline]))).toEqual([])
  })

  test('has a unique id, whatever came before', () => {
    const run = follow([...pathTo.running, enqueue('one'), events.completed, next(1), enqueue('two')])
    expect(run.context.queuedInputs?.map(({ inputId }) => inputId)).toEqual([2])
  })
})

describe('an interrupting message', () => {
  const interrupt: Given = { type: 'cancel', first: { query: 'now' } }

  test('cancels the current turn and goes first', () => {
    const canceling = follow([...pathTo.running, enqueue('one'), interrupt])
    expect(canceling.state).toBe('canceling')
    expect(waiting(canceling)).toEqual(['now', 'one'])
    const canceled = follow([events.reported], canceling)
    expect(canceled.state).toBe('canceled')
    expect(effectsOf(canceled)).toContain('startNextInput')
    expect(waiting(follow([next(2)], canceled))).toEqual(['one'])
  })

  test('is refused if it is the seventeenth, unlike a cancel', () => {
    const many = Array.from({ length: queuedInputsMax }, (_, at) => enqueue(`${at}`))
    for (const path of [pathTo.queued, pathTo.running, pathTo.canceling, pathTo.awaitingToolResult]) {
      const full = follow([...path, ...many])
      expect(send(full, interrupt)).toBeUndefined()
      expect(table.refusals.get(full.state)).toMatchObject({ cancel: { status: 422, code: 'limit_exceeded' } })
      expect(waiting(follow([events.cancel], full))).toEqual([])
    }
  })

  test('stays queued if the run was canceled in the meantime', () => {
    const run = follow([...pathTo.canceled, interrupt])
    expect(waiting(run)).toEqual(['now'])
    expect(effectsOf(run)).toContain('startNextInput')
  })

  test('does not only wait if the run, which had ended, has continued in the meantime', () => {
    const first: Given = { type: 'enqueue', query: 'now', first: true }
    const ended = follow([...pathTo.running, enqueue('one'), events.completed])
    expect(waiting(follow([first], ended))).toEqual(['now', 'one'])
    const continued = follow([next(1)], ended)
    expect(send(continued, first)).toBeUndefined()
    expect(send(follow([...pathTo.awaitingToolResult]), first)).toBeUndefined()
    expect(waiting(follow([interrupt], continued))).toEqual(['now'])
  })

  test('is refused by a run that ended in another way', () => {
    for (const state of ['completed', 'failed', 'expired'] as const) {
      expect(send(follow(pathTo[state]), interrupt)).toBeUndefined()
    }
  })
})
