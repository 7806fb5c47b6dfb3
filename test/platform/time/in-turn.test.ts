/** Work on one thing waits for the earlier work on it, whatever becomes of that; work on others does not wait. */
import { expect, test } from 'bun:test'
import { InTurn } from '../../../src/platform/time/in-turn.ts'
import { nextTurn } from '../../../src/platform/time/next-turn.ts'

test('work on the same thing runs in order, beside work on others, also after a failure', async () => {
  const turns = new InTurn()
  const done: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => async () => {
    done.push(`begin ${name}`)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    await end.promise
    done.push(`end ${name}`)
    return name
  }
  const [one, two, three] = ['one', 'two', 'three'].map((name) => turns.take('a', work(name)))
  const failure = two?.catch((error: Error) => error.message)
  const beside = turns.take('b', work('beside'))
  await nextTurn()
  expect(done).toEqual(['begin one', 'begin beside'])

  ends.get('one')?.resolve()
  expect(await one).toBe('one')
  await nextTurn()
  ends.get('two')?.reject(new Error('It failed.'))
  expect(await failure).toBe('It failed.')
  await nextTurn()
  ends.get('three')?.resolve()
  ends.get('beside')?.resolve()
  expect(await Promise.all([three, beside])).toEqual(['three', 'beside'])
  expect(done.slice(2)).toEqual(['end one', 'begin two', 'begin three', 'end three', 'end beside'])

  // nothing waits: it begins at once
  const last = turns.take('a', work('last'))
  expect(done.at(-1)).toBe('begin last')
  ends.get('last')?.resolve()
  expect(await last).toBe('last')
})
