import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Effect, EffectScope } from '../../src/runtime/kind.ts'
import { ManualClock, quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const hint = (run: (params: { count: number }, scope: EffectScope) => void): Record<string, Effect> => ({
  announce: { hint: run },
})
const durable = (run: (params: { count: number }, scope: EffectScope) => Promise<void>): Record<string, Effect> => ({
  announce: { durable: run },
})
const start = async (effects: Record<string, Effect>) => {
  const actors = house.actors({ effects })
  await actors.start()
  return actors
}

test('a hint follows the commit, with its parameters, and only the commit', async () => {
  const seen: unknown[] = []
  const actors = await start(
    hint((params, { address }) => {
      const row = house.store.first<{ state: string }>({
        sql: 'select state from lamps where id = ?',
        parameters: [address.id],
      })
      seen.push(row.then((found) => ({ params, state: found?.state })))
    }),
  )
  await actors.create(lamp('a'), made)
  const failing = actors.send(lamp('a'), { type: 'switch' }, { writes: () => [{ sql: 'no', parameters: [] }] })
  await Promise.allSettled([failing])
  expect(seen).toEqual([])
  await actors.send(lamp('a'), { type: 'switch' })
  expect(await Promise.all(seen)).toEqual([{ params: { count: 1 }, state: 'on' }])
  expect(await house.effects()).toEqual([])
})

test('the exception of a hint affects nothing else', async () => {
  const actors = await start(
    hint(() => {
      throw new Error('a bug')
    }),
  )
  await actors.create(lamp('a'), made)
  expect((await actors.send(lamp('a'), { type: 'switch' })).actor.state).toBe('on')
  expect(house.errors.map(({ what }) => what)).toEqual(['a hint of lamp'])
})

test('a durable effect is a row until it is done', async () => {
  const gate = Promise.withResolvers<void>()
  const seen: unknown[] = []
  const actors = await start(
    durable(async (params, { address, effectId }) => {
      seen.push({ params, address, effectId })
      await gate.promise
    }),
  )
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await quiet()
  const [row] = await house.effects()
  expect(seen).toEqual([{ params: { count: 1 }, address: lamp('a'), effectId: row?.id }])
  gate.resolve()
  await quiet()
  expect(await house.effects()).toEqual([])
})

test('a failing effect is retried after a back-off, with the same id, until it succeeds', async () => {
  const tries: { at: number; effectId: string }[] = []
  const actors = await start(
    durable(async (_, { effectId }) => {
      tries.push({ at: house.clock.now() - 1_000_000, effectId })
      if (tries.length < 4) throw new Error('not yet')
    }),
  )
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  await quiet()
  expect(await house.effects()).toMatchObject([{ attempts: 1 }])
  await house.clock.advance(30_000)
  expect(tries.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500])
  expect(new Set(tries.map(({ effectId }) => effectId)).size).toBe(1)
  expect(await house.effects()).toEqual([])
  expect(house.errors.map(({ what }) => what)).toEqual(Array(3).fill('the effect announce of lamp'))
})

test('an effect that waits for something stays one row, and looks again after its time, without an error', async () => {
  const tries: { at: number; effectId: string }[] = []
  const actors = await start({
    announce: {
      durable: async (_, { effectId }) => {
        tries.push({ at: house.clock.now() - 1_000_000, effectId })
        return tries.length < 3 ? { againMs: 1_000 } : undefined
      },
    },
  })
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  await quiet()
  expect(await house.effects()).toMatchObject([{ attempts: 0 }])
  await house.clock.advance(30_000)
  expect(tries.map(({ at }) => at)).toEqual([0, 1_000, 2_000])
  expect(new Set(tries.map(({ effectId }) => effectId)).size).toBe(1)
  expect(await house.effects()).toEqual([])
  expect(house.errors).toEqual([])
})

test('two requests are two effects, even if nothing else changed between them', async () => {
  const ids = new Set<string>()
  const gate = Promise.withResolvers<void>()
  const actors = await start(
    durable(async (_, { effectId }) => {
      ids.add(effectId)
      await gate.promise
    }),
  )
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  await actors.send(lamp('a'), { type: 'ring' })
  await Promise.all([actors.send(lamp('a'), { type: 'ring' }), actors.send(lamp('a'), { type: 'ring' })])
  await quiet()
  expect(ids.size).toBe(4)
  gate.resolve()
})

test('effects of an earlier process run at the start; a slow one delays neither the start nor the others', async () => {
  const gate = Promise.withResolvers<void>()
  const first = house.actors({ effects: durable(() => gate.promise) })
  for (const id of ['slow', 'a', 'b']) {
    await first.create(lamp(id), made)
    await first.send(lamp(id), { type: 'ring' })
  }
  expect(await house.effects()).toHaveLength(3)
  await house.restart()
  const done: string[] = []
  await start(
    durable(async (_, { address }) => {
      if (address.id === 'slow') await gate.promise
      done.push(address.id)
    }),
  )
  await quiet()
  expect(done.toSorted()).toEqual(['a', 'b'])
  gate.resolve()
  await quiet()
  expect(await house.effects()).toEqual([])
})

test('a thousand waiting effects all run, a few at a time', async () => {
  await house.tamper(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into effects (id, kind, actor_id, name, params, due_at, attempts) select 'e' || i, 'lamp', 'a', 'announce', '{"count":0}', 1, 0 from n`)
  let [running, most, done] = [0, 0, 0]
  await start(
    durable(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      done += 1
    }),
  )
  while (done < 1_000) await quiet()
  await quiet()
  expect(done).toBe(1_000)
  expect(most).toBeLessThanOrEqual(256)
  expect(await house.effects()).toEqual([])
})

test('an effect that still runs after minutes is not started again', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = 0
  const actors = await start(
    durable(async () => {
      begun += 1
      await gate.promise
    }),
  )
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  await house.clock.advance(300_000)
  expect(begun).toBe(1)
  gate.resolve()
  await quiet()
  await house.clock.advance(300_000)
  expect(begun).toBe(1)
  expect(await house.effects()).toEqual([])
})

test('a retry is not forgotten while other effects hang', async () => {
  const gate = Promise.withResolvers<void>()
  let tries = 0
  const actors = await start(
    durable(async (_, { address }) => {
      if (address.id === 'hangs') return gate.promise
      tries += 1
      if (tries === 1) throw new Error('not yet')
    }),
  )
  await actors.create(lamp('hangs'), made)
  await actors.send(lamp('hangs'), { type: 'ring' })
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  await quiet()
  await house.clock.advance(600)
  expect(tries).toBe(2)
  gate.resolve()
})

test('a retry that an earlier process postponed comes at its time', async () => {
  await house.tamper(
    "insert into effects (id, kind, actor_id, name, params, due_at, attempts) values ('e1', 'lamp', 'a', 'announce', 'null', 1005000, 3)",
  )
  const done: number[] = []
  await start(durable(async () => void done.push(house.clock.now())))
  await house.clock.advance(4_999)
  expect(done).toEqual([])
  await house.clock.advance(1)
  expect(done).toEqual([1_005_000])
})

test('stop waits for running effects and starts no others', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = 0
  const actors = await start(
    durable(async () => {
      begun += 1
      await gate.promise
    }),
  )
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'ring' })
  let isStopped = false
  const stopping = actors.stop().then(() => {
    isStopped = true
  })
  await actors.send(lamp('a'), { type: 'ring' })
  await quiet()
  expect({ begun, isStopped }).toEqual({ begun: 1, isStopped: false })
  gate.resolve()
  await stopping
  // The second one is a row, for the next start.
  expect(await house.effects()).toHaveLength(1)
})

test('a chart with an unimplemented effect is refused at the start', () => {
  expect(() => house.actors({ effects: { glow: undefined as unknown as Effect } })).toThrow(
    /effect glow of the statechart lamp has no implementation/,
  )
})

test('an effect of a kind that no longer exists stays a row', async () => {
  await house.tamper(
    "insert into effects (id, kind, actor_id, name, params, due_at, attempts) values ('e1', 'door', 'a', 'open', 'null', 1, 0)",
  )
  await start({})
  await quiet()
  expect(await house.effects()).toMatchObject([{ id: 'e1', attempts: 1 }])
  expect(house.errors.map(({ error }) => String(error))).toEqual(['Error: Unknown durable effect: door.open.'])
})

test('a process is killed between commit and effect: the next process runs the effect, with the same id', async () => {
  await house.store.close()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'support/killed.ts'), house.path], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const said = (await new Response(child.stdout).text()).trim()
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
  await house.restart()
  expect(await house.row('a')).toMatchObject({ state: 'on', version: 2 })
  expect((await house.effects()).map(({ id }) => id)).toEqual([said])

  // The killed process used the real time.
  house.clock = new ManualClock(Date.now())
  const seen: unknown[] = []
  const actors = await start(durable(async (params, { effectId }) => void seen.push({ params, effectId })))
  await quiet()
  expect(seen).toEqual([{ params: { count: 1 }, effectId: said }])
  expect(await house.effects()).toEqual([])
  await actors.stop()
  await house.restart()
  await start(durable(async () => void seen.push('again')))
  await quiet()
  expect(seen).toHaveLength(1)
})
