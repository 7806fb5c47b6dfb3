import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CorruptSnapshot } from '../../../src/runtime/decisions/snapshot.ts'
import { type House, type LampOptions, lamp, made, openHouse } from '../support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const store = (id: string, state: string, version: string, context: string) =>
  house.tamper('insert into lamps values (?, ?, 7, ?, ?, ?)', id, state, version, context, 'me')

/** Version 1 counted in `n` and called the state `dark`; version 2 has `count`; version 3 keeps the events. */
const migrations: NonNullable<LampOptions['migrations']> = {
  1: ({ state, context }) => ({
    version: '2',
    state: state === 'dark' ? 'off' : state,
    context: { count: (context as { n: number }).n },
  }),
  2: ({ state, context }) => ({ version: '3', state, context: { ...(context as object), said: [] } }),
}

describe('a snapshot of an older chart', () => {
  test('is migrated step by step when it is read, and stored with the next change', async () => {
    await store('old', 'dark', '1', '{"n":5}')
    await store('newer', 'off', '2', '{"count":6}')
    const actors = house.actors({ migrations })
    expect(await actors.read(lamp('old'))).toMatchObject({ state: 'off', version: 7, context: { count: 5, said: [] } })
    expect(await house.row('old')).toMatchObject({ state: 'dark', machine_version: '1', context: '{"n":5}' })
    expect((await actors.send(lamp('old'), { type: 'switch' })).actor).toMatchObject({
      state: 'on',
      version: 8,
      context: { count: 6 },
    })
    expect(await house.row('old')).toMatchObject({
      state: 'on',
      machine_version: '3',
      context: '{"count":6,"said":[]}',
    })
    expect((await actors.read(lamp('newer')))?.context).toEqual({ count: 6, said: [] })
  })
})

describe('a snapshot that cannot be read', () => {
  const circle: LampOptions['migrations'] = {
    1: (snapshot) => ({ version: '2', ...snapshot }),
    2: (snapshot) => ({ version: '1', ...snapshot }),
  }
  const failing: LampOptions['migrations'] = {
    1: () => {
      throw new Error('what is this?')
    },
  }
  test.each<[string, string, string, string, LampOptions['migrations'], RegExp]>([
    ['of an unknown version', 'off', '9', '{}', migrations, /no way from version 9 of its statechart to 3/],
    ['of a version without a migration', 'off', '1', '{}', undefined, /no way from version 1/],
    ['with circular migrations', 'off', '1', '{}', circle, /no way from version 1/],
    ['with a failing migration', 'off', '1', '{}', failing, /its migration from version 1 failed/],
    ['with a context that is not JSON', 'off', '3', '{"count":', undefined, /not JSON/],
    ['with a list as context', 'off', '3', '[]', undefined, /not an object/],
    ['with null as context', 'off', '3', 'null', undefined, /not an object/],
    ['with an unknown state', 'broken', '3', '{}', undefined, /no state broken/],
  ])(
    '%s is refused; its row and all other actors stay unchanged',
    async (_, state, version, context, ways, message) => {
      await store('bad', state, version, context)
      const before = await house.row('bad')
      const actors = house.actors(ways ? { migrations: ways } : {})
      await actors.create(lamp('good'), made)
      const attempts = await Promise.allSettled([
        actors.send(lamp('bad'), { type: 'switch' }),
        actors.send(lamp('bad'), { type: 'count' }),
        actors.read(lamp('bad')),
        actors.preview(lamp('bad'), { type: 'switch' }),
      ])
      for (const attempt of attempts) {
        const reason = attempt.status === 'rejected' ? attempt.reason : undefined
        expect(reason).toBeInstanceOf(CorruptSnapshot)
        expect(String(reason)).toMatch(message)
      }
      expect(await house.row('bad')).toEqual(before)
      expect((await actors.send(lamp('good'), { type: 'switch' })).actor.state).toBe('on')
    },
  )
})
