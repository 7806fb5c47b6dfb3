/** Pages of lists, conflicting changes, and changed sessions: against a real server. */
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test'
import { createElement, type ReactElement, type ReactNode } from 'react'
import { createApi, sent } from '../../src/console/api/client.ts'
import { byKey, keyFor } from '../../src/console/api/console-key.ts'
import { ApiFailure } from '../../src/console/api/failure.ts'
import { createTransport, type Fetch } from '../../src/console/api/transport.ts'
import { Gatekeeper } from '../../src/console/session/gatekeeper.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'
import { browserFetch, type ConsoleWorld, openConsole } from './support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

async function signedIn() {
  const { fetch, cookies } = browserFetch()
  const gate = new Gatekeeper({ origin: troupe.url, fetch })
  await gate.signIn(ownerEmail, ownerPassword)
  const parts = { origin: troupe.url, fetch, gate, organization: 'default' }
  return { api: createApi(parts), gate, fetch, cookies, parts }
}

/** Renders one component with the client of a session, as pages have it. */
async function show(element: ReactElement, between: (next: Fetch) => Fetch = (next) => next) {
  const { AccessProvider } = await import('../../src/console/data/context.ts')
  const { createQueryClient } = await import('../../src/console/data/queries.ts')
  const { ToastsProvider } = await import('../../src/console/ui/toasts.tsx')
  const { parts } = await signedIn()
  const fetch = between(parts.fetch)
  const api = createApi({ ...parts, fetch })
  const access = { api, queries: createQueryClient(), origin: troupe.url, fetch }
  return world.render(createElement(ToastsProvider, null, createElement(AccessProvider, { access }, element)))
}

test('a list is shown page by page, forwards and backwards', async () => {
  const { useApi } = await import('../../src/console/data/context.ts')
  const { usePages } = await import('../../src/console/data/pages.ts')
  const { DataTable } = await import('../../src/console/ui/table.tsx')
  for (const place of [1, 2, 3, 4, 5]) {
    await troupe.owner.post('/api/v1/projects', { name: `Project ${place}`, slug: `project-${place}` })
  }
  function List() {
    const api = useApi()
    const pages = usePages(['projects'], (options, page) => api.v1.projects.get({ ...options, query: page }), {
      limit: 2,
    })
    return createElement(DataTable<{ id: string; name: string }>, {
      label: 'projects',
      pages,
      keyOf: ({ id }) => id,
      columns: [{ title: 'Name', cell: ({ name }) => name }],
      empty: 'none',
    })
  }
  await show(createElement(List))
  const { screen, fireEvent, waitFor } = world
  const names = () => screen.queryAllByRole('cell').map(({ textContent }) => textContent)
  await waitFor(() => expect(names()).toEqual(['Project 5', 'Project 4']))
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  await waitFor(() => expect(names()).toEqual(['Project 3', 'Project 2']))
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  await waitFor(() => expect(names()).toEqual(['Project 1']))
  fireEvent.click(screen.getByRole('button', { name: 'Back' }))
  await waitFor(() => expect(names()).toEqual(['Project 3', 'Project 2']))
})

test('a part of a page that appears later shows the list of choices that others have just read', async () => {
  const { useProjectChoices } = await import('../../src/console/data/choices.ts')
  const { useRefresh } = await import('../../src/console/data/context.ts')
  let asked = 0
  const counting =
    (next: Fetch): Fetch =>
    (url, init) => {
      if (new URL(url).pathname === '/api/v1/projects') asked += 1
      return next(url, init)
    }
  function Choices({ children }: { children?: ReactNode }) {
    const refresh = useRefresh()
    const { value, refreshing } = useProjectChoices()
    const text = value === undefined || refreshing ? 'reading' : 'read'
    const button = createElement('button', { type: 'button', onClick: () => refresh(['projects']) }, text)
    return createElement('div', null, button, value && children)
  }
  await show(createElement(Choices, null, createElement(Choices, null, createElement(Choices))), counting)
  const read = () => world.screen.getAllByRole('button', { name: 'read' })
  await world.waitFor(() => expect(read()).toHaveLength(3))
  expect(asked).toBe(1)
  // a change is read at once
  world.fireEvent.click(read()[0]!)
  await world.waitFor(() => expect([asked, read().length]).toEqual([2, 3]))
})

test('a read is repeated at its interval, less often after a failure, and not while the page is hidden', async () => {
  const { useReading } = await import('../../src/console/data/resource.ts')
  // no other timer has this period; its callback is called by hand
  const everyMs = 70_001
  const due = new Map<number | undefined, () => void>()
  const { setInterval } = globalThis
  const timers = spyOn(globalThis, 'setInterval').mockImplementation(((callback: () => void, ms?: number) => {
    due.set(ms, callback)
    return setInterval(callback, ms)
  }) as typeof setInterval)
  let visibility: DocumentVisibilityState = 'visible'
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility })
  try {
    let readings = 0
    let isDown = false
    const read = async () => {
      readings += 1
      if (isDown) throw new ApiFailure({ status: 503, code: 'unavailable', message: 'down', requestId: undefined })
      return readings
    }
    function Polled() {
      const { value, failure } = useReading(['polled'], read, { every: everyMs })
      return createElement('output', null, failure ? 'failed' : `reading ${value}`)
    }
    await show(createElement(Polled))
    await world.screen.findByText('reading 1')
    world.act(() => due.get(everyMs)!())
    await world.screen.findByText('reading 2')

    visibility = 'hidden'
    due.get(everyMs)!()
    await Bun.sleep(0)
    expect(readings).toBe(2)

    visibility = 'visible'
    isDown = true
    expect(due.has(everyMs * 2)).toBe(false)
    world.act(() => due.get(everyMs)!())
    await world.screen.findByText('failed')
    expect(due.has(everyMs * 2)).toBe(true)
  } finally {
    timers.mockRestore()
    Reflect.deleteProperty(document, 'visibilityState')
  }
})

test('a conflict shows the current state', async () => {
  const { useApi } = await import('../../src/console/data/context.ts')
  const { useAction } = await import('../../src/console/data/action.ts')
  const { useResource } = await import('../../src/console/data/resource.ts')
  const created = await troupe.owner.post('/api/v1/projects', { name: 'Raced', slug: 'raced' })
  const projectId: string = created.body.data.id
  const list = await troupe.owner.get(`/api/v1/projects/${projectId}/environments`)
  const environmentId: string = list.body.data.items[0].id

  function Activate() {
    const api = useApi()
    const environment = () => api.v1.projects({ projectId }).environments({ environmentId })
    const { value } = useResource(['environments', projectId, environmentId], (options) => environment().get(options))
    const activate = useAction(() => environment().patch({ lifecycle: 'active', expectedLifecycle: 'provisioning' }), {
      changes: [['environments']],
    })
    return createElement('button', { type: 'button', onClick: () => activate.run() }, value?.lifecycle ?? 'loading')
  }
  await show(createElement(Activate))
  const button = await world.screen.findByRole('button', { name: 'provisioning' })
  // another tab
  await troupe.owner.patch(`/api/v1/projects/${projectId}/environments/${environmentId}`, {
    lifecycle: 'active',
    expectedLifecycle: 'provisioning',
  })
  world.fireEvent.click(button)
  await world.screen.findByText('Conflict')
  await world.screen.findByRole('button', { name: 'active' })
})

test('two clicks in one tick send one request, and a later one another', async () => {
  const { useApi } = await import('../../src/console/data/context.ts')
  const { useAction } = await import('../../src/console/data/action.ts')
  let sentTimes = 0
  let answered = 0
  function Add() {
    const api = useApi()
    const act = () => {
      sentTimes += 1
      return api.v1.projects.post({ name: 'Clicked', slug: `clicked-${sentTimes}` })
    }
    const done = () => {
      answered += 1
    }
    const add = useAction(act, { done })
    return createElement('button', { type: 'button', onClick: () => add.run() }, add.pending ? 'Adding' : 'Add')
  }
  await show(createElement(Add))
  for (const times of [1, 2]) {
    const button = await world.screen.findByRole<HTMLButtonElement>('button', { name: 'Add' })
    // nothing is rendered in between, so that only the action itself can know
    button.click()
    button.click()
    await world.waitFor(() => expect(answered).toBe(times))
    expect(sentTimes).toBe(times)
  }
})

test('a failure has the error of the API', async () => {
  const { api } = await signedIn()
  const failure = await sent(api.v1.projects.post({ name: 'x', slug: 'Not a slug' })).catch((thrown) => thrown)
  expect(failure).toBeInstanceOf(ApiFailure)
  expect(failure).toMatchObject({ status: 422, code: 'validation_failed' })
  expect(failure.issues[0].path).toBe('/body/slug')
  expect(failure.requestId).toStartWith('req_')
})

test('an operation that requires an API key gets one from the console, which is reused', async () => {
  const { api } = await signedIn()
  const run = api.v1['agent-runs']({ agentRunId: 'run_01h455vb4pex5vsknk084sn02q' })
  const keyed = await keyFor(api, 'agent-runs:cancel')
  const failure = await sent(byKey(api, 'agent-runs:cancel', (key) => run.cancel.post(undefined, key))).catch(
    (thrown) => thrown,
  )
  // the key arrived: the run does not exist
  expect(failure).toMatchObject({ status: 404 })
  expect(await keyFor(api, 'agent-runs:cancel')).toEqual(keyed)
  const keys = await troupe.owner.get('/api/v1/api-keys')
  const made = keys.body.data.items.filter(({ name }: { name: string }) => name === 'Console: agent-runs:cancel')
  expect(made.map(({ operations }: { operations: string[] }) => operations)).toEqual([['agent-runs:cancel']])
})

test('a session that another tab renewed is adopted', async () => {
  const { api, cookies } = await signedIn()
  const other = await signedIn()
  for (const [name, value] of other.cookies) cookies.set(name, value)
  const { data } = await sent(api.v1.projects.post({ name: 'Later', slug: 'later' }))
  expect(data.slug).toBe('later')
})

test.each(['../api-keys', '..', 'a/../../b', 'a\\b', 'a%2fb', 'a#b', ''])('the id %j leads nowhere', async (id) => {
  const { gate } = await signedIn()
  let asked = 0
  const transport = createTransport({
    gate,
    fetch: async () => {
      asked++
      return new Response()
    },
  })
  await expect(transport(`${troupe.url}/api/v1/projects/${id}/environments`, {})).rejects.toThrow(TypeError)
  expect(asked).toBe(0)
})
