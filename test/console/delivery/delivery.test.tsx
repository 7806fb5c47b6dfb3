/** The delivery path in the console, against a real server: from a Release to the active Deployment, and back. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { projectOf } from './project.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  // pages are loaded on first use, which takes a while on a busy machine
  await Promise.all([
    import('../../../src/console/pages/delivery/environment.tsx'),
    import('../../../src/console/pages/delivery/deployment.tsx'),
    import('../../../src/console/pages/delivery/configuration.tsx'),
    import('../../../src/console/pages/releases/list.tsx'),
    import('../../../src/console/pages/projects/project.tsx'),
    import('../../../src/console/pages/projects/settings.tsx'),
  ])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const aProject = (content?: object) => projectOf(troupe, content)

/** A change elsewhere while the page is open. */
const meanwhile = <Value,>(happening: () => Promise<Value>): Promise<Value> => world.act(happening)
const click = (element: HTMLElement) => world.fireEvent.click(element)
const button = (name: string | RegExp) => world.screen.findByRole('button', { name, hidden: true })

test('an Environment is set up, and receives a Deployment', async () => {
  const { page } = await aProject()
  await world.show(page, { troupe })
  click(await button('Activate'))
  click(await button('Deploy'))
  await world.waitFor(async () => expect(((await button('Activate')) as HTMLButtonElement).disabled).toBe(false))
  world.screen.getByText('Generation 0 becomes 1.')
  click(await button('Activate'))
  await world.screen.findByText('Active as generation 1.')
  world.screen.getByRole('link', { name: 'Open the playground' })
  const board = world.screen.getByRole('article', { name: 'Development' })
  await world.within(board).findByText('Release 1')
})

test('a conflicting Activation shows the new generation, and can be repeated', async () => {
  const { page, deployed, first, release, activate, path } = await aProject()
  const one = await deployed(first.id)
  await activate(one, 0)
  const second = await release('Sell more things.')
  const two = await deployed(second.id)
  await world.show(page, { troupe })
  await world.screen.findByText('Generation 1 becomes 2.')
  // another tab
  await meanwhile(() => activate(one, 1))
  click(await button('Activate'))
  await world.screen.findByText(/is now at generation 2/)
  const again = (await button('Activate mine at generation 2')) as HTMLButtonElement
  await world.waitFor(() => expect(again.disabled).toBe(false))
  click(again)
  await world.screen.findByText('Active as generation 3.')
  expect((await troupe.owner.get(path)).body.data).toMatchObject({ activeDeploymentId: two, generation: 3 })
})

test('a rollback is confirmed, and the earlier Deployment serves again', async () => {
  const { page, deployed, first, release, activate, path } = await aProject()
  const one = await deployed(first.id)
  await activate(one, 0)
  await activate(await deployed((await release('Sell more things.')).id), 1)
  await world.show(page, { troupe })
  click(await button('Roll back'))
  await world.screen.findByText('Roll back to generation 1?')
  expect((await meanwhile(() => troupe.owner.get(path))).body.data.generation).toBe(2)
  const dialog = world.screen.getByRole('dialog', { name: 'Roll back to generation 1?', hidden: true })
  world.fireEvent.submit(dialog.querySelector('form')!)
  await world.waitFor(async () => {
    expect((await troupe.owner.get(path)).body.data).toMatchObject({ activeDeploymentId: one, generation: 3 })
  })
  await world.screen.findByText('Active again')
})

test('the current configuration and credentials can be requested', async () => {
  const { page, path } = await aProject()
  await world.show(page, { troupe })
  click(await button('Activate'))
  const choose = async (name: string, value: string) =>
    world.fireEvent.change(await world.screen.findByRole('combobox', { name }), { target: { value } })
  await choose('Credentials', 'current')
  await choose('Configuration Revision', '')
  await meanwhile(() => troupe.owner.post(`${path}/variables`, { name: 'REGION', value: 'north' }))
  click(await button('Deploy'))
  await world.waitFor(async () => expect(((await button('Activate')) as HTMLButtonElement).disabled).toBe(false))
  const { items } = (await troupe.owner.get(`${path}/deployments`)).body.data
  const { configurationHead } = (await troupe.owner.get(path)).body.data
  expect(configurationHead.number).toBe(1)
  expect(items).toMatchObject([{ credentials: 'current', configurationRevisionId: configurationHead.revisionId }])
})

test('changes from the active Deployment are shown before Activation', async () => {
  const { page, deployed, first, release, activate } = await aProject()
  await activate(await deployed(first.id), 0)
  const id = await deployed((await release('Sell more things.')).id)
  await world.show(`${page}/deployments/${id}`, { troupe })
  const list = await world.screen.findByRole('list', { name: 'Changes' })
  const change = '/instructionsbefore: Sell things.after: Sell more things.'
  expect(list.textContent).toBe(`Agent clerkchanged1 → 2${change}`)
  click(await button('Activate'))
  const dialog = await world.screen.findByRole('dialog', { name: 'Activate this Deployment?', hidden: true })
  await world.waitFor(() => expect(dialog.textContent).toContain(change))
})

test('a failed Deployment shows state, reason and remedy', async () => {
  const { page, deployed, first } = await aProject({
    bindings: [{ bindingKey: 'till', kind: 'connection', connectionKind: 'http', required: true }],
  })
  const id = await deployed(first.id)
  await world.show(`${page}/deployments/${id}`, { troupe })
  const issues = await world.screen.findByRole('list', { name: 'Issues' })
  world.within(issues).getByText(/^The Agent clerk needs the Connection till, and the Configuration Revision has none/)
  const link = world.within(issues).getByRole('link', { name: 'Add binding' })
  expect(link.getAttribute('href')).toBe(`${page}/configuration/connections`)
  await world.screen.findByText('Validating', { selector: '.step-failed .step-title' })
})

test('a changed configuration names its changes, and is captured as a revision', async () => {
  const { page, deployed, first, path } = await aProject()
  await deployed(first.id)
  await troupe.owner.post(`${path}/variables`, { name: 'REGION', value: 'eu' })
  const settings = { baseUrl: 'https://shop.example' }
  await troupe.owner.post(`${path}/connections`, { name: 'till', kind: 'http', settings })
  await world.show(`${page}/configuration`, { troupe })
  await world.screen.findByText('variable REGION (new)')
  click(await button('Create revision'))
  world.fireEvent.change(world.screen.getByLabelText('Description'), { target: { value: 'The region' } })
  world.fireEvent.submit(world.screen.getByLabelText('Description').closest('form')!)
  await world.screen.findByText('No changes since this revision.')
  await world.screen.findByText('The region')
  click(await button('View configuration 1'))
  const contents = await world.screen.findByRole('tab', { name: 'Contents', hidden: true })
  click(contents)
  await world.screen.findByText(/"name": "till",\s+"version": 1/)
})

test('missing parts of a Release are reported by Agent name, and the form is kept', async () => {
  const { project } = await aProject()
  const path = `/api/v1/projects/${project.id}`
  const definition = (await troupe.owner.post(`${path}/definitions`, { name: 'till', kind: 'operations' })).body.data
  const operation = { name: 'open', description: 'Opens.', inputSchema: { type: 'object' }, effect: 'read' }
  const source = {
    operations: [{ ...operation, idempotent: true, approval: 'never', handler: { type: 'echo' } }],
  }
  await troupe.owner.post(`${path}/definitions/${definition.id}/revisions`, { source })
  const agent = (await troupe.owner.get(`${path}/agents`)).body.data.items[0]
  const tools = [{ kind: 'operation', name: 'open', operation: 'till.open' }]
  const content = { instructions: 'Open the till.', tools }
  await troupe.owner.post(`${path}/agents/${agent.id}/revisions`, { content, grantedOperations: ['till.open'] })

  const { path: where, navigate } = await world.show(`/o/default/p/${project.id}`, { troupe })
  const contents = world.within(await world.screen.findByRole('navigation', { name: 'Contents' }))
  await contents.findByRole('link', { name: '1 Agent' })
  contents.getByRole('link', { name: '1 Definition' })
  navigate(`/o/default/p/${project.id}/releases`)
  click(await button('New release'))
  click(await world.screen.findByLabelText('till'))
  click(await button('Create release'))
  const alert = await world.screen.findByRole('alert', { hidden: true })
  expect(alert.textContent).toContain('Clerk content/tools/0/operation')
  click(world.screen.getByLabelText('till'))
  click(await button('Create release'))
  await world.screen.findByRole('heading', { name: 'Release 2' })
  expect(where()).toMatch(/\/releases\/rel_\w+$/)
})

test('many Agents are searched for a Release, and chosen together, without a request for each', async () => {
  const { project } = await aProject()
  const path = `/api/v1/projects/${project.id}/agents`
  const make = async (number: number) => {
    const { data } = (await troupe.owner.post(path, { name: `Branch ${number}`, slug: `branch-${number}` })).body
    if (number !== 3) await troupe.owner.post(`${path}/${data.id}/revisions`, { content: { instructions: 'Sell.' } })
  }
  await Promise.all(Array.from({ length: 14 }, (_, number) => make(number)))
  let reads = 0
  const counting =
    (next: Fetch): Fetch =>
    (url, init) => {
      if (/\/agents\/agt_\w+\/revisions/.test(url)) reads += 1
      return next(url, init)
    }
  await world.show(`/o/default/p/${project.id}/releases?open=new`, { troupe, between: counting })
  const find = await world.screen.findByLabelText('Find in Agents')
  const shown = () => [...find.closest('fieldset')!.querySelectorAll('label')].map(({ textContent }) => textContent)
  // in the order of their numbers, but for the one that is not published
  const branches = Array.from({ length: 14 }, (_, number) => `Branch ${number}`).filter((name) => name !== 'Branch 3')
  expect(shown()).toEqual([...branches, 'Clerk', 'Branch 3'])
  click(await button('None'))
  world.fireEvent.change(find, { target: { value: 'branch 1' } })
  expect(shown()).toEqual(['Branch 1', 'Branch 10', 'Branch 11', 'Branch 12', 'Branch 13'])
  click(await button('All'))
  expect(reads).toBe(0)
  click(await button('Create release'))
  await world.screen.findByRole('heading', { name: 'Release 2' })
  await world.screen.findByRole('link', { name: 'Branch 13' })
  expect(world.screen.queryByRole('link', { name: 'Clerk' })).toBeNull()
})

test('a Project is deleted only after its name was typed', async () => {
  const { project } = await aProject()
  await world.show(`/o/default/p/${project.id}/settings`, { troupe })
  click(await button('Delete project'))
  const input = world.screen.getByLabelText(`Type ${project.name} to confirm`)
  world.fireEvent.submit(input.closest('form')!)
  const still = await meanwhile(() => troupe.owner.get(`/api/v1/projects/${project.id}`))
  expect(still.body.data.status).toBe('active')
  world.fireEvent.change(input, { target: { value: project.name } })
  world.fireEvent.submit(input.closest('form')!)
  await world.screen.findByText(`${project.name} is being deleted`)
})

const going = { requestedAt: '2026-01-01T00:00:00.000Z', runsRemoved: 0, recordsRemoved: 0 }
test.each([
  ['', { ...going, runsCounted: 60_000, isCounted: true, runsRemoved: 12_000, recordsRemoved: 31 }],
  ['/settings', { ...going, runsCounted: 60_000, isCounted: true, runsRemoved: 12_000, recordsRemoved: 31 }],
  ['/settings', { ...going, runsCounted: 5_000, isCounted: false }],
  ['/settings', { ...going, runsCounted: 0, isCounted: false }],
])('the page %s of a Project shows the progress of its deletion: %j', async (page, deletion) => {
  const { project } = await aProject()
  await world.show(`/o/default/p/${project.id}${page}`, {
    troupe,
    between: (next) => async (url, init) => {
      const answer = await next(url, init)
      if (!new URL(url, troupe.url).pathname.endsWith(`/projects/${project.id}`)) return answer
      const { data } = await answer.json()
      return Response.json({ data: { ...data, status: 'deleting', deletion } })
    },
  })
  const { runsCounted, isCounted } = deletion
  if (isCounted) {
    await world.screen.findByText('12,000 of 60,000 runs removed, and 31 other records.', { selector: 'p' })
    const meter = world.screen.getByLabelText('Runs removed')
    expect([meter.getAttribute('value'), meter.getAttribute('max')]).toEqual(['12000', '60000'])
  } else {
    await world.screen.findByText(runsCounted > 0 ? '5,000 runs counted so far.' : /^Ending its runs/, {
      selector: 'p',
    })
  }
  await world.screen.findByText('The Project is being deleted and can no longer be changed.')
  expect(world.screen.queryByRole('button', { name: 'Delete project' })).toBeNull()
})

test('a paused Project shows that it is paused, and keeps a name that is typed', async () => {
  const { project } = await aProject()
  const { navigate } = await world.show(`/o/default/p/${project.id}/settings`, { troupe })
  const name = await world.screen.findByRole('textbox', { name: 'Name' })
  world.fireEvent.change(name, { target: { value: 'Shop of tomorrow' } })
  click(await button('Pause'))
  world.fireEvent.submit((await button('Pause project')).closest('form')!)
  await world.screen.findByText(/^It accepts no new work\./)
  expect(world.screen.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Shop of tomorrow')
  navigate(`/o/default/p/${project.id}`)
  await world.screen.findByText(/This Project is paused/)
})

test('a missing permission is named', async () => {
  const { page } = await aProject()
  await world.show(page, {
    troupe,
    between: (next) => async (url, init) => {
      if (!/environments\/env_\w+$/.test(url)) return next(url, init)
      const details = { permission: 'projects:get' }
      const error = { code: 'permission_denied', message: 'No.', requestId: 'r', details }
      return Response.json({ error }, { status: 403 })
    },
  })
  await world.screen.findByText('You need the permission projects:get.')
})

test('a Release of the address that does not exist is reported, and not silently replaced by another one', async () => {
  const { page, deployed, first } = await aProject()
  await deployed(first.id)
  const missing = first.id.replace(/.{4}$/, '0000')
  await world.show(`${page}?release=${missing}`, { troupe })
  await world.screen.findByText(/^The Release of this address could not be loaded: /)
  await world.screen.findByRole('combobox', { name: 'Release' })
})
