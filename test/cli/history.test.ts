/** `troupe logs` of an Environment with a long history, whose end it shows. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openWorld, type Place, type World } from '../events/history/world.ts'
import { data } from '../support/world/replies.ts'
import { endCommands, type Home, openHome } from './command.ts'

let world: World
let home: Home
/** In front of the server: the queries of the requests for events, in order. */
let front: Bun.Server<undefined>
const asked: URLSearchParams[] = []

beforeAll(async () => {
  world = await openWorld()
  front = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search, searchParams } = new URL(request.url)
      if (pathname.endsWith('/events')) asked.push(searchParams)
      return fetch(`${world.url}${pathname}${search}`, { headers: request.headers, signal: request.signal })
    },
  })
  home = await openHome({ TROUPE_URL: front.url.href, TROUPE_API_KEY: world.key })
})
beforeEach(() => void asked.splice(0))
afterAll(async () => {
  await endCommands()
  await front?.stop(true)
  await world?.stop()
  await home?.remove()
})

async function nameOf({ project, path, owner }: Place): Promise<string> {
  const [{ slug }, { kind }] = [await data(owner.get(project)), await data(owner.get(path))]
  return `${slug}/${kind}`
}
const shown = async (...words: string[]) => {
  const { code, stderr, lines } = await home.run('logs', ...words, '--json')
  expect(code).toBe(0)
  return { stderr, sequences: lines<{ sequence: number }>().map(({ sequence }) => sequence) }
}
const lasts = () => asked.flatMap((query) => query.get('last') ?? [])

test('one request shows the last events, however long the history is', async () => {
  const place = await world.place()
  world.addMany(place, 100_000)
  const { sequences } = await shown(await nameOf(place), '--limit', '3')
  expect(sequences).toEqual([99_998, 99_999, 100_000])
  expect(asked.map((query) => query.get('last'))).toEqual(['3'])
})

test('events of a type are looked for farther and farther back', async () => {
  const place = await world.place()
  world.addMany(place, 20_000)
  world.addMany(place, 5, 'run.failed')
  world.addMany(place, 300)
  const name = await nameOf(place)
  const failed = [20_001, 20_002, 20_003, 20_004, 20_005]
  expect((await shown(name, '--type', 'run.failed', '--limit', '2')).sequences).toEqual(failed.slice(3))
  expect(lasts()).toEqual(['2', '100', '1000'])
  // pages of 100 events
  expect(asked).toHaveLength(1 + 1 + 10)
  asked.splice(0)
  const { sequences, stderr } = await shown(name, '--type', 'run.failed', '--limit', '6')
  expect(sequences).toEqual(failed)
  expect(lasts()).toEqual(['6', '100', '1000', '10000'])
  expect(stderr).toContain('Looking through the whole history')
})

test('a history that is shorter than the look back is read once more at most', async () => {
  const place = await world.place()
  world.addMany(place, 30)
  const { sequences, stderr } = await shown(await nameOf(place), '--limit', '50')
  expect([sequences.length, stderr]).toEqual([30, ''])
  expect(lasts()).toEqual(['50', '500'])
})

test('--limit 0 and --follow begin at the head', async () => {
  const place = await world.place()
  world.addMany(place, 1_000)
  const going = home.start(['logs', await nameOf(place), '--follow', '--limit', '0', '--json'])
  while (asked.length === 0) await Bun.sleep(10)
  expect(asked[0]?.get('last')).toBe('0')
  while (asked.length === 1) await Bun.sleep(10)
  world.add(place, 1)
  await going.says(/"sequence":1001\b/)
  expect(going.said()).not.toContain('"sequence":1000,')
  going.process.kill('SIGINT')
  expect((await going.ended).code).toBe(130)
})

test('a key that is bound to an Agent sees the last of its own events', async () => {
  const place = await world.place()
  const agentOf = (slug: string) => data(place.owner.post(`${place.project}/agents`, { slug, name: slug }))
  const [own, other] = [await agentOf('own'), await agentOf('other')]
  world.add(place, 3, 0, own.id)
  world.add(place, 150, 0, other.id)
  const bound = { project_id: place.projectId, environment_id: null, agent_id: own.id }
  const { secret } = world.tenancy.key(
    world.ours,
    world.ownerId,
    ['projects:list', 'projects:get', 'environments:list', 'webhooks:events:read'],
    bound,
  )
  const words = ['logs', await nameOf(place), '--limit', '2', '--json']
  const { code, lines } = await home.start(words, { environment: { TROUPE_API_KEY: secret } }).ended
  expect([code, lines<{ sequence: number }>().map(({ sequence }) => sequence)]).toEqual([0, [2, 3]])
})
