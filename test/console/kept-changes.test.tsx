/** What others change while a form is open stays, unless the form changes the same field. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { projectOf } from './delivery/project.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'
import { type Sent, watchingInto } from './support/watching.ts'

let troupe: Troupe
let world: ConsoleWorld
let place: Awaited<ReturnType<typeof projectOf>>
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  place = await projectOf(troupe)
  await place.deployed(place.first.id)
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

interface Edited {
  /** Creates it, and returns its paths in the API and in the console. */
  made: () => Promise<{ path: string; page: string }>
  /** What somebody else changes. */
  elsewhere: object
  /** The field that is changed here, and what it becomes. */
  label: string
  text: string
  here: object
}

const created = async (path: string, body: object) => {
  const { id } = (await troupe.owner.post(path, body)).body.data
  return { id, path: `${path}/${id}` }
}

const edited: Record<string, Edited> = {
  'a job': {
    made: async () => {
      const { agentId } = place.first.agents[0]
      const schedule = { cron: '0 8 * * *', timezone: 'UTC' }
      const body = { name: 'Report', agentId, query: 'Report.', schedule }
      const { id, path } = await created(`${place.path}/agent-jobs`, body)
      return { path, page: `${place.page}/jobs?job=${id}` }
    },
    elsewhere: { schedule: { cron: '30 6 * * *', timezone: 'UTC' }, query: 'Report briefly.' },
    label: 'Name',
    text: 'Morning report',
    here: { name: 'Morning report' },
  },
  'a webhook': {
    made: async () => {
      const body = { endpointUrl: 'https://example.com/one', eventTypes: ['run.failed'] }
      const { id, path } = await created(`${place.path}/webhooks`, body)
      return { path, page: `${place.page}/webhooks/${id}` }
    },
    elsewhere: { eventTypes: ['run.completed'], captureResponses: true },
    label: 'Endpoint URL',
    text: 'https://example.com/two',
    here: { endpointUrl: 'https://example.com/two' },
  },
  'an alert rule': {
    made: async () => {
      const body = { name: 'Failures', condition: { type: 'failing', count: 1, withinMinutes: 60 } }
      const { id, path } = await created('/api/v1/alert-rules', body)
      return { path, page: `/o/default/alerts/${id}` }
    },
    elsewhere: { condition: { type: 'failing', count: 7, withinMinutes: 30 }, notify: { webhooks: false, mail: true } },
    label: 'Name',
    text: 'Many failures',
    here: { name: 'Many failures' },
  },
  'a runner pool': {
    made: async () => {
      const { id, path } = await created('/api/v1/runner-pools', { name: 'Attic' })
      return { path, page: `/o/default/settings/runners/${id}` }
    },
    elsewhere: { exclusive: true },
    label: 'Name',
    text: 'Basement',
    here: { name: 'Basement' },
  },
}

test.each(Object.entries(edited))('of %s', async (_, { made, elsewhere, label, text, here }) => {
  const { path, page } = await made()
  await world.show(page, { troupe })
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Edit', hidden: true }))
  const field = await world.screen.findByLabelText(label)
  await world.act(() => troupe.owner.patch(path, elsewhere))
  world.fireEvent.change(field, { target: { value: text } })
  world.fireEvent.submit(field.closest('form')!)
  await world.waitFor(() => expect(field.isConnected).toBe(false))
  expect((await world.act(() => troupe.owner.get(path))).body.data).toMatchObject({ ...elsewhere, ...here })
})

/** Forms that stay on their page, which reads what they show again when something else is done there. */
test('of a Project, whose name is being typed while its page reads it again', async () => {
  const { id } = (await troupe.owner.post('/api/v1/projects', { name: 'Attic', slug: 'attic' })).body.data
  const path = `/api/v1/projects/${id}`
  await world.show(`/o/default/p/${id}/settings`, { troupe })
  const field = await world.screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  world.fireEvent.change(field, { target: { value: 'Loft' } })
  await world.act(() => troupe.owner.patch(path, { slug: 'upstairs', status: 'paused' }))
  // paused here as well: the page reads the Project again
  world.fireEvent.click(await world.screen.findByRole('button', { name: 'Pause', hidden: true }))
  const confirm = await world.screen.findByRole('button', { name: 'Pause project', hidden: true })
  world.fireEvent.submit(confirm.closest('form')!)
  await world.screen.findByRole('button', { name: 'Resume', hidden: true })
  expect(field.isConnected).toBe(true)
  expect(field.value).toBe('Loft')
  world.fireEvent.submit(field.closest('form')!)
  await world.screen.findByText('Project updated')
  expect((await world.act(() => troupe.owner.get(path))).body.data).toMatchObject({ name: 'Loft', slug: 'upstairs' })
})

test('of the organization, of which only the name is saved that was changed', async () => {
  const path = '/api/v1/organizations/default'
  const sent: Sent[] = []
  await world.show('/o/default/settings', { troupe, between: watchingInto(sent) })
  const field = await world.screen.findByRole('textbox', { name: 'Name' })
  world.fireEvent.change(field, { target: { value: 'Acme' } })
  world.fireEvent.submit(field.closest('form')!)
  await world.screen.findByText('Saved')
  expect(sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([{ name: 'Acme' }])
  expect((await world.act(() => troupe.owner.get(path))).body.data).toMatchObject({ name: 'Acme', slug: 'default' })
})

test('of an Agent, whose name can be changed back', async () => {
  const { agentId } = place.first.agents[0]
  const path = `/api/v1/projects/${place.project.id}/agents/${agentId}`
  await world.show(`/o/default/p/${place.project.id}/agents/${agentId}?view=about`, { troupe })
  const field = await world.screen.findByLabelText('Name')
  await world.act(() => troupe.owner.patch(path, { description: 'Sells.' }))
  for (const name of ['Seller', 'Clerk']) {
    world.fireEvent.change(field, { target: { value: name } })
    world.fireEvent.submit(field.closest('form')!)
    await world.screen.findByRole('heading', { name })
    expect((await world.act(() => troupe.owner.get(path))).body.data).toMatchObject({ name, description: 'Sells.' })
  }
})
