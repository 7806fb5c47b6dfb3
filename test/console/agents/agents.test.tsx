/** Agents and Definitions in the console, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import {
  ageMaxMs,
  draftAt,
  draftKey,
  draftsMax,
  keepDraft,
  textMax,
} from '../../../src/console/pages/revisions/drafts/kept-drafts.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
let path: string
let page: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  // pages are loaded on first use, which takes a while on a busy machine
  await Promise.all([
    import('../../../src/console/pages/agents/agent.tsx'),
    import('../../../src/console/pages/agents/list.tsx'),
    import('../../../src/console/pages/definitions/definition.tsx'),
  ])
  const project = (await troupe.owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
  path = `/api/v1/projects/${project.id}`
  page = `/o/default/p/${project.id}`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

let made = 0
async function anAgent(...instructions: string[]) {
  const agent = (await troupe.owner.post(`${path}/agents`, { name: 'Clerk', slug: `clerk-${++made}` })).body.data
  for (const each of instructions)
    await troupe.owner.post(`${path}/agents/${agent.id}/revisions`, { content: { instructions: each } })
  return agent as { id: string }
}

const click = (element: HTMLElement) => world.fireEvent.click(element)
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const button = (name: string | RegExp) => world.screen.findByRole('button', { name, hidden: true })
const view = async (title: string) => click(await world.screen.findByRole('radio', { name: title }))

test('a Project without Agents leads to the first revision of one', async () => {
  const { navigate } = await world.show(page, { troupe })
  const first = (await world.screen.findByText('New agent')).closest('a')!
  navigate(first.getAttribute('href')!)
  await world.screen.findByRole('dialog', { name: 'New agent' })
  navigate(`${page}/agents`)
  await world.screen.findByText('No agents yet')
  click((await world.screen.findAllByRole('button', { name: 'New agent' }))[0]!)
  type(world.screen.getByLabelText('Name'), 'Night clerk')
  expect((world.screen.getByLabelText('Slug') as HTMLInputElement).value).toBe('night-clerk')
  world.fireEvent.submit(world.screen.getByLabelText('Name').closest('form')!)
  await world.screen.findByRole('heading', { name: 'Night clerk' })
  expect(document.title).toBe('Night clerk · Agents · Troupe')
  // its editor is open, and all of the revision is new
  await button('Publish revision 1')
  await world.screen.findByText('0 removed')
})

test('an Agent is found by a part of its name, by its address too', async () => {
  const others = await Promise.all([anAgent(), anAgent()])
  const named = { name: 'Day porter', slug: 'porter' }
  const { id } = (await troupe.owner.post(`${path}/agents`, named)).body.data
  const links = (agentIds: string[]) => agentIds.map((agentId) => `${page}/agents/${agentId}`)
  const rows = async () => {
    const table = await world.screen.findByRole('table', { name: 'agents' })
    return [...table.querySelectorAll('a')].map((link) => link.getAttribute('href'))
  }
  const { navigate, path: address } = await world.show(`${page}/agents`, { troupe })
  expect(await rows()).toEqual(expect.arrayContaining(links([id, ...others.map((other) => other.id)])))
  type(world.screen.getByRole('searchbox', { name: 'Search agents' }), 'PORT')
  await world.waitFor(async () => expect(await rows()).toEqual(links([id])))
  expect(address()).toBe(`${page}/agents?search=PORT`)
  type(world.screen.getByRole('searchbox', { name: 'Search agents' }), 'astronaut')
  await world.screen.findByText('No agents found')
  click(await button('Show all'))
  await world.waitFor(async () => expect((await rows()).length).toBeGreaterThan(2))
  navigate(`${page}/agents?search=day`)
  await world.waitFor(async () => expect(await rows()).toEqual(links([id])))
})

test('a revision is written in a form and published', async () => {
  const { id } = await anAgent('Sell things.')
  await world.show(`${page}/agents/${id}`, { troupe })
  await world.screen.findByText('Sell things.')
  await view('New revision')
  type(await world.screen.findByLabelText('Instructions'), 'Sell more things.')
  click(world.screen.getByLabelText(/^clock/))
  click(await button('Publish revision 2'))
  await world.screen.findByText('Revision 2 published')
  const [latest] = (await troupe.owner.get(`${path}/agents/${id}/revisions`)).body.data.items
  expect(latest.content).toEqual({ instructions: 'Sell more things.', tools: [{ kind: 'builtin', name: 'clock' }] })
})

test('the form keeps fields that it does not know', async () => {
  const { id } = await anAgent()
  const content = { instructions: 'Sell.', metadata: { team: 'north' }, maxSteps: 5 }
  await troupe.owner.post(`${path}/agents/${id}/revisions`, { content })
  await world.show(`${page}/agents/${id}`, { troupe })
  await view('New revision')
  type(await world.screen.findByLabelText('Maximum steps'), '')
  click(await button('Publish revision 2'))
  await world.screen.findByText('Revision 2 published')
  const [latest] = (await troupe.owner.get(`${path}/agents/${id}/revisions`)).body.data.items
  expect(latest.content).toEqual({ instructions: 'Sell.', metadata: { team: 'north' } })
})

test('issues of a revision are shown at their fields and lines, and the draft is kept', async () => {
  const { id } = await anAgent('Sell things.')
  await world.show(`${page}/agents/${id}`, { troupe })
  await view('New revision')
  const steps = await world.screen.findByLabelText('Maximum steps')
  type(steps, '300')
  click(await button('Publish revision 2'))
  await world.screen.findByText('1 problem: not published.')
  expect(steps.getAttribute('aria-invalid')).toBe('true')
  await view('JSON')
  const problems = await world.screen.findByRole('list', { name: 'Problems of Revision as JSON' })
  expect(problems.textContent).toContain('Line 4/content/maxSteps')
  expect((world.screen.getByLabelText('Revision as JSON') as HTMLTextAreaElement).value).toContain('"maxSteps": 300')
  await view('Form')
  type(await world.screen.findByLabelText('Maximum steps'), '30')
  await world.screen.findByText('valid')
  expect(world.screen.getByLabelText('Maximum steps').getAttribute('aria-invalid')).toBeNull()
  expect(world.screen.queryByText('1 problem: not published.')).toBeNull()
})

test('what is typed while a revision is published is the next draft', async () => {
  const { id } = await anAgent('Sell things.')
  const answered = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  await world.show(`${page}/agents/${id}?view=publish`, {
    troupe,
    between: (next) => async (url, init) => {
      const answer = await next(url, init)
      if (!url.endsWith('/revisions') || init.method !== 'POST') return answer
      sent.resolve()
      await answered.promise
      return answer
    },
  })
  const instructions = async () => (await world.screen.findByLabelText('Instructions')) as HTMLTextAreaElement
  type(await instructions(), 'Sell quietly.')
  click(await button('Publish revision 2'))
  await sent.promise
  type(await instructions(), 'Sell quietly, and smile.')
  answered.resolve()
  await world.screen.findByText('Revision 2 published')
  click(await button('Continue draft'))
  expect((await instructions()).value).toBe('Sell quietly, and smile.')
})

test('a draft survives a refresh, is offered again, and is removed when it is published', async () => {
  const { id } = await anAgent('Sell things.')
  const instructions = async () => (await world.screen.findByLabelText('Instructions')) as HTMLTextAreaElement
  await world.show(`${page}/agents/${id}?view=publish`, { troupe })
  type(await instructions(), 'Sell quietly.')
  world.cleanup()
  await world.show(`${page}/agents/${id}`, { troupe })
  click(await button('Continue draft'))
  expect((await instructions()).value).toBe('Sell quietly.')
  await world.screen.findByText(/was restored\.$/)
  click(await button('Publish revision 2'))
  await world.screen.findByText('Revision 2 published')
  await button('New revision')
  await view('New revision')
  expect((await instructions()).value).toBe('Sell quietly.')
  expect(world.screen.queryByText(/was restored/)).toBeNull()
})

test('a draft says that another revision was published since, and can be discarded', async () => {
  const { id } = await anAgent('Sell things.')
  await world.show(`${page}/agents/${id}?view=publish`, { troupe })
  type(await world.screen.findByLabelText('Instructions'), 'Sell quietly.')
  world.cleanup()
  await troupe.owner.post(`${path}/agents/${id}/revisions`, { content: { instructions: 'Sell loudly.' } })
  await world.show(`${page}/agents/${id}?view=publish`, { troupe })
  await world.screen.findByText(/It is based on revision 1; revision 2 has been published since\./)
  const grants = (await world.screen.findByLabelText('Granted operations')) as HTMLTextAreaElement
  type(grants, 'agent-runs:get\n')
  expect(grants.value).toBe('agent-runs:get\n')
  click(await button('Discard draft'))
  expect(grants.value).toBe('')
  const instructions = (await world.screen.findByLabelText('Instructions')) as HTMLTextAreaElement
  expect(instructions.value).toBe('Sell loudly.')
  expect(world.screen.queryByText(/was restored/)).toBeNull()
  world.cleanup()
  await world.show(`${page}/agents/${id}`, { troupe })
  await button('New revision')
})

test('a draft of another tab is reported, and can be taken over', async () => {
  const { id } = await anAgent('Sell things.')
  await world.show(`${page}/agents/${id}?view=publish`, { troupe })
  type(await world.screen.findByLabelText('Instructions'), 'Sell quietly.')
  const [key = ''] = Object.keys(localStorage).filter((name) => name.endsWith(id))
  const draft = JSON.parse(localStorage.getItem(key) ?? '')
  const newValue = JSON.stringify({ ...draft, text: draft.text.replace('quietly', 'at night') })
  localStorage.setItem(key, newValue)
  world.fireEvent(window, Object.assign(new Event('storage'), { key, newValue }))
  click(await button('Load the other version'))
  expect(((await world.screen.findByLabelText('Instructions')) as HTMLTextAreaElement).value).toBe('Sell at night.')
})

test('drafts are bounded in number, age and size, and other stored data is ignored', () => {
  const draft = { text: 'one', baseId: null, baseNumber: 0 }
  const keyOf = (number: number) => draftKey('usr_1', 'default', `agt_${number}`)
  for (let number = 0; number < draftsMax + 5; number++) keepDraft(keyOf(number), { ...draft, at: Date.now() + number })
  const kept = Array.from({ length: draftsMax + 5 }, (_, number) => draftAt(keyOf(number)) !== undefined)
  expect(kept.indexOf(true)).toBe(5)
  expect(draftAt(keyOf(20), Date.now() + ageMaxMs + 60_000)).toBeUndefined()
  expect(keepDraft(keyOf(6), { ...draft, text: 'x'.repeat(textMax + 1), at: Date.now() })).toBe(false)
  expect(draftAt(keyOf(6))).toBeUndefined()
  for (const text of ['', 'null', '[]', '{"text":1}', '{']) {
    localStorage.setItem(keyOf(7), text)
    expect(draftAt(keyOf(7))).toBeUndefined()
  }
  localStorage.clear()
})

test('the revision in the address is shown, and the address follows the shown revision', async () => {
  const { id } = await anAgent('Sell things.', 'Sell more things.')
  const { items } = (await troupe.owner.get(`${path}/agents/${id}/revisions`)).body.data
  const shown = await world.show(`${page}/agents/${id}?view=revisions&revision=${items[1].id}`, { troupe })
  await world.screen.findByRole('dialog', { name: 'Revision 1' })
  click(await button('Close'))
  click(await button('View revision 2'))
  await world.screen.findByRole('dialog', { name: 'Revision 2' })
  expect(shown.path()).toContain(items[0].id)
})

test('invalid JSON cannot be published, and its line is shown', async () => {
  const { id } = await anAgent('Sell things.')
  await world.show(`${page}/agents/${id}`, { troupe })
  await view('New revision')
  await view('JSON')
  type(world.screen.getByLabelText('Revision as JSON'), '{\n  "content": {\n    instructions: 1\n')
  expect(((await button('Publish revision 2')) as HTMLButtonElement).disabled).toBe(true)
  world.screen.getByText('Expected a name in double quotes.')
  world.screen.getByText('Line 3')
})

test('two revisions are compared as text', async () => {
  const { id } = await anAgent('Sell things.\nBe kind.', 'Sell things.\n<img src=x onerror=alert(1)>')
  const { container } = await world.show(`${page}/agents/${id}`, { troupe })
  await view('Compare')
  const diff = await world.screen.findByRole('region', { name: 'From revision 1 to revision 2' })
  expect(diff.textContent).toContain('Be kind.')
  world.within(diff).getByText('<img src=x onerror=alert(1)>')
  expect(container.querySelector('img')).toBeNull()
})

test('an Agent in use is not deleted, and its dependents are named', async () => {
  const { id } = await anAgent('Sell things.')
  const details = { dependents: [{ type: 'deployment', id: 'dep_01h455vb4pex5vsknk084sn02q' }] }
  await world.show(`${page}/agents/${id}`, {
    troupe,
    between: (next) => async (url, init) => {
      if (init.method !== 'DELETE') return next(url, init)
      const error = { code: 'agent_in_use', message: 'Something live depends on the Agent.', requestId: 'r', details }
      return Response.json({ error }, { status: 409 })
    },
  })
  await view('About')
  click(await button('Delete this agent'))
  const input = world.screen.getByLabelText('Type Clerk to confirm')
  type(input, 'Clerk')
  world.fireEvent.submit(input.closest('form')!)
  await world.screen.findByText('Dependents:')
  world.screen.getByTitle('dep_01h455vb4pex5vsknk084sn02q')
})

test('a forbidden list names the permission', async () => {
  await world.show(`${page}/definitions`, {
    troupe,
    between: (next) => async (url, init) => {
      if (!url.includes('/definitions?')) return next(url, init)
      const details = { permission: 'definitions:list' }
      const error = { code: 'permission_denied', message: 'No.', requestId: 'r', details }
      return Response.json({ error }, { status: 403 })
    },
  })
  await world.screen.findByText('You need the permission definitions:list.')
})
