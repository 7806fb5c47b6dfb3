/** Lists of items of arbitrary size: a page ends early, and no item is omitted or repeated. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld } from '../runs/project/world.ts'
import { type AgentPin, echoOperation, type Place } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'

let world: Awaited<ReturnType<typeof openWorld>>
let place: Place
let agent: AgentPin
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  place = await world.place()
  agent = await world.agent(place, {}, ['team.echo'])
  const definition = await world.operations(place, 'team', [echoOperation('echo', { inputSchema: { type: 'object' } })])
  await world.serve(place, [agent], [definition])
})
afterAll(() => world?.stop())

interface Item {
  id: string
}
/** All pages of a list, as their items. */
async function pagesOf(path: string, limit: number): Promise<Item[][]> {
  const pages: Item[][] = []
  let cursor: string | undefined
  do {
    const { status, body } = await world.owner.get(path, { query: { limit, ...(cursor && { cursor }) } })
    expect({ status, limit: body.pagination.limit }).toEqual({ status: 200, limit })
    pages.push(body.data.items)
    const { hasMore, nextCursor } = body.pagination
    expect(hasMore).toBe(nextCursor !== undefined)
    cursor = nextCursor
  } while (cursor !== undefined)
  return pages
}
const invoke = async (characters: number) => {
  const input = { text: 'x'.repeat(characters) }
  const path = `${place.path}/agents/${agent.agentId}/operations/team.echo/invoke`
  return (await data<Item>(world.owner.post(path, { input }))).id
}
const idsOf = (pages: Item[][]) => pages.map((items) => items.map(({ id }) => id))

test('a page of large invocations has at most one mebibyte, unless its first item is larger', async () => {
  const small: string[] = []
  for (let index = 0; index < 19; index += 1) small.unshift(await invoke(10))
  const path = `${place.path}/operation-invocations`
  expect(idsOf(await pagesOf(path, 100))).toEqual([small])
  expect(idsOf(await pagesOf(path, 9))).toEqual([small.slice(0, 9), small.slice(9, 18), small.slice(18)])

  // input and output are the same text, so two of the middle ones are too large for one page
  const [first, second, third, fourth] = [
    await invoke(900_000),
    await invoke(300_000),
    await invoke(300_000),
    await invoke(100_000),
  ]
  expect(idsOf(await pagesOf(path, 100))).toEqual([[fourth, third], [second], [first], small])
  expect(idsOf(await pagesOf(path, 1)).flat()).toEqual([fourth, third, second, first, ...small])
})

test('so has a page of large revisions', async () => {
  const path = `${place.project}/agents/${agent.agentId}/revisions`
  for (let index = 0; index < 12; index += 1) {
    await data(world.owner.post(path, { content: { instructions: 'x'.repeat(100_000) } }))
  }
  expect((await pagesOf(path, 100)).map((items) => items.length)).toEqual([10, 3])
})
