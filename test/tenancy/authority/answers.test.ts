import { beforeEach, describe, expect, test } from 'bun:test'
import { type Identity, unbound } from '../../../src/platform/http/guard/caller.ts'
import { Answers } from '../../../src/tenancy/authority/answers.ts'
import type { Change } from '../../../src/tenancy/authority/revocations.ts'

const clock = { at: 0, now: () => clock.at }
let hearing = true
let answers: Answers<Identity>
beforeEach(() => {
  clock.at = 1_000_000
  hearing = true
  answers = new Answers({ clock, sizeMax: 100, isHearing: () => hearing })
})

const identity = (name: string, organizationId: string | null = 'org_1'): Identity => ({
  principal: { type: 'apiKey', id: `key_${name}` },
  credentialId: `key_${name}`,
  userId: `usr_${name}`,
  organizationId,
  scope: unbound,
  csrfToken: null,
})
const answer = (name: string, organizationId?: string | null) => async () => ({
  known: identity(name, organizationId),
  endsAt: Number.POSITIVE_INFINITY,
})
/** A lookup that ends when the test says so. */
function held(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { lookUp: () => promise.then(answer(name)), release: resolve }
}

describe('an answer', () => {
  test.each([
    { ms: 0, good: true },
    { ms: 1_999, good: true },
    { ms: 2_000, good: false },
    { ms: -1, good: false },
  ])('is valid after $ms ms: $good', async ({ ms, good }) => {
    await answers.ask('a', answer('a'))
    clock.at += ms
    expect(answers.get('a') !== undefined).toBe(good)
  })

  test('expires relative to the beginning of its lookup, not to the end', async () => {
    const { lookUp, release } = held('a')
    const asked = answers.ask('a', lookUp)
    clock.at += 1_500
    release()
    await asked
    clock.at += 500
    expect(answers.get('a')).toBeUndefined()
  })

  test('ends with its credential', async () => {
    await answers.ask('a', async () => ({ known: identity('a'), endsAt: clock.at + 10 }))
    clock.at += 9
    expect(answers.get('a')).toBeDefined()
    clock.at += 1
    expect(answers.get('a')).toBeUndefined()
  })

  test('of an unknown credential is not cached, and removes an earlier one', async () => {
    await answers.ask('a', answer('a'))
    expect(await answers.ask('a', async () => undefined)).toBeUndefined()
    expect(answers.size).toBe(0)
  })

  test('is looked up again by the next request after a failed lookup', async () => {
    await expect(answers.ask('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect((await answers.ask('a', answer('a')))?.userId).toBe('usr_a')
  })
})

describe('a change', () => {
  const all = ['a', 'b', 'c', 'session']
  const rows: { change: Change; forgotten: string[] }[] = [
    { change: { credentialId: 'key_a' }, forgotten: ['a'] },
    { change: { userId: 'usr_b' }, forgotten: ['b'] },
    { change: { organizationId: 'org_1' }, forgotten: ['a', 'b'] },
    { change: { organizationId: 'org_1', userId: 'usr_a' }, forgotten: ['a'] },
    { change: { organizationId: 'org_1', userId: 'usr_c' }, forgotten: [] },
    { change: { organizationId: 'org_9' }, forgotten: [] },
    { change: {}, forgotten: all },
  ]
  test.each(rows)('of $change: $forgotten are looked up again', async ({ change, forgotten }) => {
    await answers.ask('a', answer('a'))
    await answers.ask('b', answer('b'))
    await answers.ask('c', answer('c', 'org_2'))
    await answers.ask('session', answer('s', null))
    answers.forget(change)
    expect(all.filter((key) => answers.get(key) === undefined)).toEqual(forgotten)
  })

  test('during a lookup: its answer is for those who wait, and later requests start their own', async () => {
    const old = held('old')
    const before = [answers.ask('a', old.lookUp), answers.ask('a', answer('never asked'))]
    answers.forget({ userId: 'usr_somebody' })
    expect((await answers.ask('a', answer('new')))?.userId).toBe('usr_new')
    old.release()
    expect((await Promise.all(before)).map((known) => known?.userId)).toEqual(['usr_old', 'usr_old'])
    expect(answers.get('a')?.userId).toBe('usr_new')
  })

  test('the end of an outdated lookup does not affect the next one', async () => {
    const [old, young] = [held('old'), held('young')]
    const first = answers.ask('a', old.lookUp)
    answers.forget({})
    const second = answers.ask('a', young.lookUp)
    old.release()
    await first
    const third = answers.ask('a', answer('never asked'))
    young.release()
    expect((await Promise.all([second, third])).map((known) => known?.userId)).toEqual(['usr_young', 'usr_young'])
  })
})

describe('while changes of other processes are not received', () => {
  test('cached answers are not used', async () => {
    await answers.ask('a', answer('a'))
    hearing = false
    expect(answers.get('a')).toBeUndefined()
  })

  test('nothing is cached', async () => {
    hearing = false
    expect((await answers.ask('a', answer('a')))?.userId).toBe('usr_a')
    expect(answers.size).toBe(0)
  })

  test("no request waits for another's lookup", async () => {
    hearing = false
    const old = held('old')
    const first = answers.ask('a', old.lookUp)
    expect((await answers.ask('a', answer('new')))?.userId).toBe('usr_new')
    old.release()
    expect((await first)?.userId).toBe('usr_old')
  })

  test('and are received again: a lookup from before is not cached', async () => {
    hearing = false
    const old = held('old')
    const first = answers.ask('a', old.lookUp)
    answers.forget({})
    hearing = true
    old.release()
    await first
    expect(answers.get('a')).toBeUndefined()
  })
})

test('the number of cached answers is limited; the oldest is evicted first', async () => {
  for (let index = 0; index < 150; index += 1) await answers.ask(`${index}`, answer(`${index}`))
  expect(answers.size).toBe(100)
  expect([answers.get('49'), answers.get('50')?.userId]).toEqual([undefined, 'usr_50'])
})
