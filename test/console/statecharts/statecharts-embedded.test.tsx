/** Embedded statecharts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { ReactElement } from 'react'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let runId: string
let charts: typeof import('../../../src/console/charts/lazy.ts')
let around: (element: ReactElement) => ReactElement

beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
  const [
    { AccessProvider },
    { createQueryClient },
    { createApi },
    { createTransport },
    { Router },
    { memoryLocation },
  ] = await Promise.all([
    import('../../../src/console/data/context.ts'),
    import('../../../src/console/data/queries.ts'),
    import('../../../src/console/api/client.ts'),
    import('../../../src/console/api/transport.ts'),
    import('wouter'),
    import('wouter/memory-location'),
  ])
  charts = await import('../../../src/console/charts/lazy.ts')
  const send = (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${troupe.key}`)
    return fetch(url, { ...init, headers })
  }
  const parts = { origin: troupe.url, fetch: send, gate: { csrfToken: () => undefined, check: async () => true } }
  around = (element) => (
    <Router hook={memoryLocation({ path: '/o/default/runs' }).hook}>
      <AccessProvider
        access={{
          api: createApi(parts),
          queries: createQueryClient(),
          origin: troupe.url,
          fetch: createTransport(parts),
        }}
      >
        {element}
      </AccessProvider>
    </Router>
  )
  const run = await start(troupe.owner, 'Hello')
  runId = run.id ?? run.agentRunId
  await inState(troupe.owner, runId, 'completed')
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

test('an actor is shown in its state, with a link to the full page', async () => {
  world.render(around(<charts.ActorChart kind="run" id={runId} height={240} />))
  await world.screen.findByLabelText('Statechart: Agent run, in completed')
  const link = world.screen.getByRole('link', { name: 'Replay' })
  expect(link.getAttribute('href')).toBe(`/o/default/statecharts/run/${runId}`)
})

test('an unknown actor is reported', async () => {
  world.render(around(<charts.ActorChart kind="run" id="run_01h455vb4pex5vsknk084sn02q" />))
  await world.screen.findByText('Not found')
})

describe('the page of an embedded chart', () => {
  const ticketFor = async (client: Troupe['owner'], id: string) => {
    const { body } = await client.post(`/api/v1/actors/run/${id}/embed-tickets`, {})
    return new URL(`${troupe.url}${new URL(body.data.url).pathname}?ticket=${body.data.ticket}`)
  }
  /** Without a cookie or a key. */
  const show = async (address: URL) => {
    const { Embedded } = await import('../../../src/console/embed/embedded.tsx')
    world.render(<Embedded address={address} fetch={(url, init) => fetch(url, init)} />)
  }

  test('shows the state of the actor, and follows its moves', async () => {
    const run = await start(troupe.owner, 'Hello')
    const id = run.id ?? run.agentRunId
    await inState(troupe.owner, id, 'completed')
    await show(await ticketFor(troupe.owner, id))
    await world.screen.findByLabelText(/^State completed, current state/)
    await world.screen.findByText('Live')
    await troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Once more' })
    await world.screen.findByLabelText('State completed, current state, entered 2 times')
  })

  test('a ticket ends with the key that issued it, and the page says so', async () => {
    const made = await troupe.owner.post('/api/v1/api-keys', { name: 'embeds', operations: ['agent-runs:get'] })
    const address = await ticketFor(troupe.as(made.body.data.secret), runId)
    await show(address)
    await world.screen.findByText('Live')
    expect((await troupe.owner.post(`/api/v1/api-keys/${made.body.data.id}/revoke`)).status).toBeLessThan(300)
    await world.screen.findByText(/its issuer may no longer see the chart/)
  })

  test.each(['', '?ticket=', '?other=1'])('without a ticket (%p) it says what is missing', async (search) => {
    await show(new URL(`${troupe.url}/embed/actors/run/${runId}${search}`))
    await world.screen.findByText(/The ticket is missing/)
  })

  test('a changed ticket, or one for another actor, shows nothing', async () => {
    const address = await ticketFor(troupe.owner, runId)
    address.pathname = address.pathname.replace(runId, 'run_01h455vb4pex5vsknk084sn02q')
    await show(address)
    await world.screen.findByText(/The ticket is not for this chart/)
    expect(world.screen.queryByText('completed')).toBeNull()
  })
})
