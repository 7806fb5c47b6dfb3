/** What the console shows while reads fail, are late, or follow each other without an end. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { projectOf } from './delivery/project.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'
import { errorAnswer } from './support/watching.ts'

let troupe: Troupe
let world: ConsoleWorld
let project: Awaited<ReturnType<typeof projectOf>>
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  await Promise.all([
    import('../../src/console/pages/agents/agent.tsx'),
    import('../../src/console/pages/delivery/environment.tsx'),
    import('../../src/console/pages/runs/compare/compare.tsx'),
    import('../../src/console/pages/runs/list/runs-list.tsx'),
    import('../../src/console/pages/statecharts/actor/actor.tsx'),
  ])
  project = await projectOf(troupe)
  await project.activate(await project.deployed(project.first.id), 0)
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

test('events during a refetch wait for its end, and are followed by one more', async () => {
  const { useRefreshSoon } = await import('../../src/console/data/use-refresh-soon.ts')
  const reads: (() => void)[] = []
  let soon = () => {}
  function Page() {
    soon = useRefreshSoon(() => new Promise<void>((resolve) => reads.push(resolve)), 1)
    return null
  }
  world.render(<Page />)
  soon()
  await world.waitFor(() => expect(reads).toHaveLength(1))
  soon()
  soon()
  await Bun.sleep(20)
  expect(reads).toHaveLength(1)
  reads[0]!()
  await world.waitFor(() => expect(reads).toHaveLength(2))
  reads[1]!()
  await Bun.sleep(20)
  expect(reads).toHaveLength(2)
})

test('the Environments of an Agent that could not be loaded are read again', async () => {
  const agentId = (await troupe.owner.get(`${project.path.replace(/\/environments.*/, '')}/agents`)).body.data.items[0]
    .id
  let isAway = true
  const between =
    (next: Fetch): Fetch =>
    async (url, init) =>
      isAway && new URL(url).pathname.endsWith('/environments')
        ? errorAnswer(500, 'internal_error', 'Something failed.')
        : next(url, init)
  await world.show(`/o/default/p/${project.project.id}/agents/${agentId}`, { troupe, between })
  await world.screen.findByText('Something failed.')
  isAway = false
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Try again' }))
  await world.screen.findByRole('table', { name: 'Environments of this Agent' })
})

test('the differences of Environments show that they are loading', async () => {
  const answering = Promise.withResolvers<void>()
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (/\/deployments\/[^/]+$/.test(new URL(url).pathname)) await answering.promise
      return next(url, init)
    }
  await world.show(`${project.page}?tab=differences`, { troupe, between })
  const panel = await world.screen.findByRole('tabpanel')
  await world.within(panel).findByRole('status', { name: 'Loading' })
  answering.resolve()
  await world.within(panel).findByRole('table', { name: 'Agents in each Environment' })
})

const started = async (): Promise<string> => {
  const agents = await troupe.owner.get(`${project.path.replace(/\/environments.*/, '')}/agents`)
  const environmentId = project.path.split('/').at(-1)
  const run = { agentId: agents.body.data.items[0].id, environmentId, query: '/say Hello.' }
  return (await troupe.owner.post('/api/v1/agent-runs', run)).body.data.id
}

const row = { from: 'queued', to: 'queued', event: 'tick', actor: { type: 'system', id: 'troupe' }, attempt: 0 }
const followed: Record<
  string,
  { page: (run: string, other: string) => string; path: (run: string) => string; event: object }
> = {
  'a comparison': {
    page: (run, other) => `/o/default/runs/compare?left=${run}&right=${other}`,
    path: (run) => `/agent-runs/${run}`,
    event: { type: 'run.transition' },
  },
  'an actor': {
    page: (run) => `/o/default/statecharts/run/${run}`,
    path: (run) => `/actors/run/${run}`,
    event: {
      type: 'actor.transition',
      ...row,
      reason: null,
      at: '2026-01-01T00:00:00.000Z',
      timers: [],
      nextEvents: [],
    },
  },
}

test.each(Object.entries(followed))(
  '%s is read again while events follow each other without a pause',
  async (_, of) => {
    const [run, other] = [await started(), await started()]
    let reads = 0
    const between =
      (next: Fetch): Fetch =>
      async (url, init) => {
        const { pathname } = new URL(url)
        if (pathname.endsWith(`${of.path(run)}/stream`))
          return new Response(withoutPause(of.event, init.signal), { headers: stream })
        if (pathname.endsWith(of.path(run))) reads += 1
        return next(url, init)
      }
    await world.show(of.page(run, other), { troupe, between })
    await world.waitFor(() => expect(reads).toBeGreaterThan(2), { timeout: 60_000 })
  },
)

test('changed runs of the list that could not be read are read again', async () => {
  const asked: string[] = []
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      const ids = new URL(url).searchParams.getAll('ids').join()
      if (ids === '') return next(url, init)
      asked.push(ids)
      return asked.length === 1 ? errorAnswer(503, 'store_unavailable', 'The store is unavailable.') : next(url, init)
    }
  await world.show('/o/default/runs', { troupe, between })
  // what changes together with the stream's beginning is read with the whole list
  while (asked.length === 0) {
    await started()
    await Bun.sleep(700)
  }
  await world.waitFor(() => expect(asked[1]).toContain(asked[0]!), { timeout: 60_000 })
})

const stream = { 'content-type': 'text/event-stream' }

/** The event each 20 ms, with the next number. */
function withoutPause(event: { type?: string }, signal: AbortSignal | null | undefined): ReadableStream {
  let sequence = 100
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(20)
      if (signal?.aborted) return controller.error(signal.reason)
      sequence += 1
      const data = JSON.stringify({ ...event, sequence })
      controller.enqueue(new TextEncoder().encode(`event: ${event.type}\nid: ${sequence}\ndata: ${data}\n\n`))
    },
  })
}
