/** Effects are stored with a commit, and must not run before this process knows of it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Effect, EffectScope } from '../../src/runtime/kind.ts'
import { OutcomeUnknown } from '../../storage/errors.ts'
import type { Store } from '../../storage/store.ts'
import { quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const announcing = (durable: (params: { count: number }, scope: EffectScope) => Promise<void>) => ({
  effects: { announce: { durable } } satisfies Record<string, Effect>,
})

/** The house's store with other commits. */
const committing = (commit: Store['commit']) =>
  new Proxy(house.store, {
    get(target, name) {
      if (name === 'commit') return commit
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

test('a query finds an effect before its commit is known: the effect runs once, on the actor after the commit', async () => {
  const gate = Promise.withResolvers<void>()
  let isSlow = false
  const store = committing(async (unit) => {
    await house.store.commit(unit, null)
    if (isSlow) await gate.promise
  })
  const seen: unknown[] = []
  const announce = async (params: { count: number }, { address }: EffectScope) => {
    seen.push({ params, state: (await actors.read(address))?.state })
  }
  const actors = house.actors(announcing(announce), { store })
  await actors.start()
  await actors.create(lamp('a'), made)
  isSlow = true
  const switched = actors.send(lamp('a'), { type: 'switch' })
  while ((await house.effects()).length === 0) await quiet()
  actors.effects.look()
  await quiet()
  expect(seen).toEqual([])
  gate.resolve()
  await switched
  await quiet()
  expect(seen).toEqual([{ params: { count: 1 }, state: 'on' }])
  expect(await house.effects()).toEqual([])
})

test('a query that comes after a commit with an unknown outcome finds its effects', async () => {
  let isLost = true
  const store = committing(async (unit) => {
    await house.store.commit(unit, null)
    if (isLost && unit.some(({ sql }) => /^insert.*effects/s.test(sql))) throw new OutcomeUnknown('No answer.')
  })
  const begun: string[] = []
  const actors = house.actors(
    announcing(async (_, { effectId }) => void begun.push(effectId)),
    { store },
  )
  await actors.start()
  await actors.create(lamp('a'), made)
  await expect(actors.send(lamp('a'), { type: 'ring' })).rejects.toThrow(/not known whether/)
  isLost = false
  actors.effects.look()
  await quiet()
  expect({ begun: begun.length, left: await house.effects() }).toEqual({ begun: 1, left: [] })
})
