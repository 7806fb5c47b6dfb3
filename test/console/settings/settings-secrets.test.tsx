/** Keys, credentials, payment, passwords and the audit log, against a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { newMember } from '../../tenancy/sessions/browser.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { errorAnswer, type Sent, watchingInto } from '../support/watching.ts'

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

let sent: Sent[]
beforeEach(() => {
  sent = []
})
/** Records changes; the test can answer in place of the server. */
const watching = (answer?: (request: Sent) => Response | undefined) => watchingInto(sent, answer)

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getAllByRole('button', { name })[0]!)
const inDialog = () => world.within(world.screen.getByRole('dialog', { hidden: true }))
const submit = (label: string | RegExp) =>
  world.fireEvent.submit(world.screen.getByLabelText(label, { selector: 'input, select, textarea' }).closest('form')!)

test('a key is created with the selected permissions, and its secret is shown once', async () => {
  await world.show('/o/default/settings/keys', { troupe, between: watching() })
  await world.screen.findByRole('table', { name: 'API keys' })
  press('New key')
  type(inDialog().getByLabelText('Name'), 'CI')
  submit('Name')
  await world.screen.findByText('Choose at least one permission.')
  expect(sent).toEqual([])

  world.fireEvent.click(inDialog().getByLabelText('All of agent-runs'))
  world.fireEvent.click(inDialog().getByLabelText('projects:get'))
  submit('Name')
  const secret = (await world.screen.findByText(/^trp_\w+$/)).textContent!
  expect(sent).toMatchObject([{ path: '/api/v1/api-keys', body: { operations: ['projects:get', 'agent-runs:*'] } }])
  press('I have stored it')
  await world.screen.findByRole('link', { name: 'CI' })
  expect(document.body.textContent).not.toContain(secret)
})

test('an expired key is not shown as active', async () => {
  const between = watching(({ path, method }) =>
    method === 'GET' && path === '/api/v1/api-keys'
      ? Response.json({
          data: {
            items: [
              {
                id: 'key_1',
                name: 'Old',
                prefix: 'trp_abcd',
                operations: ['projects:get'],
                projectId: null,
                environmentId: null,
                agentId: null,
                createdBy: 'usr_1',
                expiresAt: '2020-01-01T00:00:00.000Z',
                lastUsedAt: null,
                status: 'active',
                createdAt: '2019-01-01T00:00:00.000Z',
              },
            ],
          },
          pagination: { limit: 50, hasMore: false },
        })
      : undefined,
  )
  await world.show('/o/default/settings/keys', { troupe, between })
  await world.screen.findByText('expired')
})

test('a credential gets its secret as pasted, and shows nothing of it', async () => {
  await world.show('/o/default/settings/credentials', { troupe, between: watching() })
  await world.screen.findByText('No credentials yet')
  press('New credential')
  type(inDialog().getByLabelText('Label'), 'OpenAI')
  type(inDialog().getByLabelText('Provider'), 'openai')
  type(inDialog().getByLabelText('Secret'), ' sk-1\n')
  submit('Label')
  await world.screen.findByRole('heading', { name: 'OpenAI' })
  expect(sent).toMatchObject([{ body: { label: 'OpenAI', provider: 'openai', secret: 'sk-1', expiresAt: null } }])
  expect(document.body.textContent).not.toContain('sk-1')
})

test('the reason why a credential cannot be deleted stays on the page', async () => {
  const { data } = (await troupe.owner.get('/api/v1/organizations/default/provider-credentials')).body
  const between = watching(({ method }) =>
    method === 'DELETE'
      ? errorAnswer(409, 'credential_in_use', 'An active Deployment pins a version of it.')
      : undefined,
  )
  await world.show(`/o/default/settings/credentials/${data.items[0].id}`, { troupe, between })
  await world.screen.findByRole('heading', { name: 'OpenAI' })
  press('Delete')
  world.fireEvent.click(inDialog().getByRole('button', { name: 'Delete', hidden: true }))
  const alert = await world.screen.findByRole('alert')
  expect(alert.textContent).toContain('An active Deployment pins a version of it.')
})

test('uses of a credential are listed, and a version is revoked', async () => {
  const path = '/api/v1/organizations/default/provider-credentials'
  const { id } = (await troupe.owner.get(path)).body.data.items[0]
  const project = (await troupe.owner.post('/api/v1/projects', { name: 'Uses', slug: 'uses' })).body.data
  const environments = `/api/v1/projects/${project.id}/environments`
  const environment = (await troupe.owner.get(environments)).body.data.items[0]
  const agent = (await troupe.owner.post(`/api/v1/projects/${project.id}/agents`, { name: 'Clerk', slug: 'clerk' }))
    .body.data
  const setting = { provider: 'openai', providerCredentialId: id }
  await troupe.owner.post(`${environments}/${environment.id}/agents/${agent.id}/provider-settings`, setting)

  await world.show(`/o/default/settings/credentials/${id}`, { troupe, between: watching() })
  const uses = world.within(await world.screen.findByRole('table', { name: 'uses' }))
  uses.getByText('Model of clerk')
  uses.getByText('uses, development')
  press('Revoke version 1')
  world.fireEvent.submit(world.screen.getByRole('dialog', { hidden: true }).querySelector('form')!)
  await world.waitFor(() => expect(world.screen.queryAllByRole('button', { name: 'Revoke version 1' }).length).toBe(0))
  expect(sent.map(({ path }) => path.endsWith(`/provider-credentials/${id}/versions/1/revoke`))).toEqual([true])
})

test('a checkout without an answer is repeated with the same key, and the token is in the body', async () => {
  let answers = 0
  const between = watching(({ path }) =>
    path.endsWith('/billing/checkout') && answers++ === 0
      ? errorAnswer(503, 'provider_unavailable', 'The payment provider cannot be asked now.')
      : path.endsWith('/billing/checkout')
        ? errorAnswer(422, 'url_not_allowed', 'Elsewhere.', {
            issues: [{ path: '/body/successUrl', message: 'Must be one of: https://troupe.example/billing.' }],
          })
        : undefined,
  )
  await world.show('/o/default/settings/billing', { troupe, between })
  await world.screen.findByRole('button', { name: 'Choose Pro' })
  press('Choose Pro')
  await world.screen.findByText('The payment provider cannot be asked now.')
  press('Choose Pro')
  await world.screen.findByText(/Open the console at the address.*https:\/\/troupe\.example\/billing/)
  press('Choose Pro')
  await world.waitFor(() => expect(sent).toHaveLength(3))
  const [first, second, third] = sent.map(({ headers }) => headers.get('idempotency-key'))
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first!)
  expect(third).not.toBe(first!)
  expect(sent[0]!.body).toMatchObject({ planKey: 'pro', csrfToken: expect.stringMatching(/./) })
})

test('after the checkout, the page waits for the contract', async () => {
  await world.show('/o/default/settings/billing?outcome=success', { troupe })
  await world.screen.findByText(/Waiting for confirmation from the payment provider/)
})

test('two different passwords are not sent', async () => {
  await world.show('/o/default/settings/account', { troupe, between: watching() })
  type(await world.screen.findByLabelText('Current password'), 'x')
  type(world.screen.getByLabelText('New password'), 'correct-horse-1')
  type(world.screen.getByLabelText('Confirm password'), 'correct-horse-2')
  submit('New password')
  await world.screen.findByText('The passwords do not match.')
  expect(sent).toEqual([])
})

test('the servers are shown, with their slots', async () => {
  await world.show('/o/default/settings/servers', { troupe })
  await world.screen.findByRole('table', { name: 'servers' })
  expect(world.screen.getAllByText('this server')).toHaveLength(1)
  expect(world.screen.getByText('64 of 64').getAttribute('title')).toBe('0–63')
})

test('the audit log shows actors, changes and refusals', async () => {
  const nobody = '/api/v1/organizations/default/members/usr_01h455vb4pex5vsknk084sn02q'
  for (let asked = 1; asked <= 3; asked += 1) await troupe.owner.delete(nobody)
  await world.show('/o/default/settings/audit', { troupe })
  const entries = world.within(await world.screen.findByRole('table', { name: 'audit log entries' }))
  expect(entries.getAllByText('create api key').length).toBeGreaterThan(0)
  expect(entries.getAllByText('denied')).toHaveLength(1)
  expect(entries.getAllByText('3 times')).toHaveLength(1)
  expect(entries.getAllByText('you').length).toBeGreaterThan(0)
})

test('who did something is called by name, and a key links to its page', async () => {
  const { body } = await troupe.owner.get('/api/v1/api-keys')
  const { id } = body.data.items.find(({ name }: { name: string }) => name === 'bootstrap')
  await newMember(troupe, 'default', 'somebody@example.com')
  await world.show('/o/default/settings/audit', { troupe })
  const entries = world.within(await world.screen.findByRole('table', { name: 'audit log entries' }))
  const [key] = await entries.findAllByRole('link', { name: 'bootstrap' })
  expect(key?.getAttribute('href')).toBe(`/o/default/settings/keys/${id}`)
  await entries.findAllByText('Somebody')
})

test('who did something is known by id where names are not to be read', async () => {
  const { body } = await troupe.owner.get('/api/v1/api-keys')
  const { id } = body.data.items.find(({ name }: { name: string }) => name === 'bootstrap')
  const error = { code: 'permission_denied', message: 'No.', requestId: 'req_1', details: {} }
  await world.show('/o/default/settings/audit', {
    troupe,
    between: (next) => (url, init) =>
      new URL(url).pathname === `/api/v1/api-keys/${id}`
        ? Promise.resolve(Response.json({ error }, { status: 403 }))
        : next(url, init),
  })
  const entries = world.within(await world.screen.findByRole('table', { name: 'audit log entries' }))
  await entries.findAllByText(`…${id.slice(-6)}`)
  expect(entries.queryByRole('link', { name: 'bootstrap' })).toBeNull()
})
