/** Statecharts on other pages. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { ReactElement } from 'react'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { keepLayouts } from '../support/layouts.ts'

let troupe: Troupe
let world: ConsoleWorld
let runId: string
let charts: typeof import('../../../src/console/charts/lazy.ts')
let around: (element: ReactElement) => ReactElement

beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
  keepLayouts()
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

test('an actor is shown where it is, with a way to all of it', async () => {
  world.render(around(<charts.ActorChart kind="run" id={runId} height={240} />))
  await world.screen.findByLabelText('Statechart: Agent run, in completed')
  const link = world.screen.getByRole('link', { name: 'Replay' })
  expect(link.getAttribute('href')).toBe(`/o/default/statecharts/run/${runId}`)
})

test('a kind is shown with a state lit', async () => {
  world.render(around(<charts.MachineChart kind="delivery" activeState="retrying" />))
  await world.screen.findByLabelText('Statechart: Webhook delivery, in retrying')
})

test('an actor that is not there says so', async () => {
  world.render(around(<charts.ActorChart kind="run" id="run_01h455vb4pex5vsknk084sn02q" />))
  await world.screen.findByText('Not found')
})
