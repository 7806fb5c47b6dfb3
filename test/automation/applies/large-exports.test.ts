/** A manifest that no Apply would take is not exported. Source: contract 10, "Export". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld } from '../../runs/project/world.ts'

let world: Awaited<ReturnType<typeof openWorld>>
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('the newest revisions of a Project are exported up to 4 MiB; then only what serves', async () => {
  const place = await world.place()
  const get = () => world.owner.get(`${place.project}/manifest?environment=development`)
  const instructions = 'x'.repeat(100_000)
  const small = await world.agent(place)
  for (let count = 0; count < 41; count += 1) await world.agent(place, { instructions })
  expect(Object.keys((await get()).body.data.agents)).toHaveLength(42)
  await world.agent(place, { instructions })
  const { status, body } = await get()
  expect([status, body.error.code]).toEqual([422, 'too_large'])
  expect(body.error.message).toStartWith('The manifest would have more than 4 MiB')
  await world.serve(place, [small])
  expect(Object.keys((await get()).body.data.agents)).toEqual([small.slug])
})
