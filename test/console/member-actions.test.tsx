/** The console for members: what they may not do is disabled, and says why. Source: requirement 5. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { data } from '../support/world/replies.ts'
import { newMember, password } from '../tenancy/sessions/browser.ts'
import { projectOf } from './delivery/project.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

let count = 0
/** A member who may do this in the Project. */
async function memberOf(projectId: string, permissions: string[]) {
  const email = `member-${++count}@example.com`
  const { userId: id } = await newMember(troupe, 'default', email)
  const subject = { type: 'user', id }
  await data(troupe.owner.post(`/api/v1/projects/${projectId}/access-grants`, { subject, permissions }))
  return { email, password }
}

const lacks = (permission: string) => `You need the permission ${permission}. Ask an owner or an admin for it.`
const button = (name: string) => world.screen.findByRole('button', { name })
/** The reason why the button is disabled; null if it is not. */
const reasonOf = async (name: string) => {
  const found = await button(name)
  return found.getAttribute('aria-disabled') === 'true' ? found.title : null
}
const refused = (name: string, permission: string) =>
  world.waitFor(async () => expect(await reasonOf(name)).toBe(lacks(permission)))

test('buttons are disabled by what access grants leave out, and the others work', async () => {
  const { project } = await projectOf(troupe)
  const permissions = ['projects:get', 'agents:list', 'agents:get', 'agents:revisions:list', 'agents:revisions:create']
  const signedIn = await memberOf(project.id, permissions)
  const { navigate, path } = await world.show(`/o/default/p/${project.id}/agents`, { troupe, signedIn })
  await refused('New agent', 'agents:push')
  ;(await button('New agent')).click()
  expect(world.screen.queryByRole('dialog')).toBeNull()

  ;(await world.screen.findByRole('link', { name: /Clerk/ })).click()
  await world.waitFor(() => expect(path()).toMatch(/agents\/agt_/))
  const agent = path()
  expect(await reasonOf('New revision')).toBeNull()
  navigate(`/o/default/p/${project.id}/agents?open=new`)
  await refused('Create agent', 'agents:push')
  navigate(`${agent}?view=about`)
  await refused('Delete this agent', 'agents:delete')
  await refused('Save', 'agents:push')
})

test('a permission of the organization is not given by a grant', async () => {
  const { project } = await projectOf(troupe)
  const signedIn = await memberOf(project.id, ['*'])
  const { navigate } = await world.show('/o/default/projects', { troupe, signedIn })
  await refused('New project', 'projects:create')
  navigate(`/o/default/p/${project.id}/agents`)
  await button('New agent')
  expect(await reasonOf('New agent')).toBeNull()
})

test('the page of a run asks for what it needs in its Project', async () => {
  const place = await projectOf(troupe)
  const deploymentId = await place.deployed(place.first.id)
  await place.activate(deploymentId, 0)
  const environmentId = place.path.split('/').at(-1)
  const { agentId } = place.first.agents[0]
  const started = troupe.owner.post('/api/v1/agent-runs', { agentId, environmentId, query: 'Sell a pen.' })
  const { id } = await data<{ id: string }>(started)
  const steps = ['agent-runs:steps:list', 'agent-runs:steps:get', 'agent-runs:steps:checkpoints:get']
  const reads = ['agent-runs:get', 'agent-runs:stream', 'agent-runs:checkpoints:list', ...steps]
  const signedIn = await memberOf(place.project.id, [...reads, 'agent-runs:cancel'])
  await world.show(`/o/default/runs/${id}`, { troupe, signedIn })
  await refused('Run again', 'agent-runs:create')
  await refused('Fork', 'agent-runs:create')
  await world.screen.findByText(lacks('agent-runs:continue'))
  expect(await reasonOf('Cancel run')).toBeNull()
})

test('owners ask for no permissions, and everything is theirs', async () => {
  const { project } = await projectOf(troupe)
  const asked: string[] = []
  await world.show(`/o/default/p/${project.id}/agents`, {
    troupe,
    between: (next) => (url, init) => {
      if (/\/permissions\b/.test(url)) asked.push(url)
      return next(url, init)
    },
  })
  await world.screen.findByRole('link', { name: /Clerk/ })
  expect(await reasonOf('New agent')).toBeNull()
  expect(asked).toEqual([])
})
