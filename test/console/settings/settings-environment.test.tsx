/** The configuration of an Environment, and access to a Project, against a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { errorAnswer, type Sent, watchingInto } from '../support/watching.ts'

let troupe: Troupe
let world: ConsoleWorld
let project: string
let environment: string
let agent: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
  const { owner } = troupe
  const projectId = (await owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data.id
  const { items } = (await owner.get(`/api/v1/projects/${projectId}/environments?limit=10`)).body.data
  agent = (await owner.post(`/api/v1/projects/${projectId}/agents`, { name: 'Clerk', slug: 'clerk' })).body.data.id
  project = `/o/default/p/${projectId}`
  environment = `${project}/e/${items[0].id}`
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
const watching = (answer?: (request: Sent) => Response | undefined) => watchingInto(sent, answer)

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getAllByRole('button', { name })[0]!)
const inDialog = () => world.within(world.screen.getByRole('dialog', { hidden: true }))
const submitDialog = () =>
  world.fireEvent.submit(world.screen.getByRole('dialog', { hidden: true }).querySelector('form')!)

test('a variable for one Agent gets its value as typed, and shows only its length', async () => {
  await world.show(`${environment}/configuration/variables`, { troupe, between: watching() })
  await world.screen.findByText('No variables yet')
  press('New variable')
  await inDialog().findByRole('option', { name: 'Clerk', hidden: true })
  type(inDialog().getByLabelText('Name'), 'SHOP_TOKEN')
  type(inDialog().getByLabelText('Value'), '  secret value ')
  type(inDialog().getByLabelText('Agent'), agent)
  type(inDialog().getByLabelText('Binding key'), 'token')
  submitDialog()
  await world.screen.findByText('15 characters')
  expect(sent).toMatchObject([
    { body: { name: 'SHOP_TOKEN', value: '  secret value ', agentId: agent, bindingKey: 'token' } },
  ])
  expect(document.body.textContent).not.toContain('secret value')
})

test('a changed variable keeps its value unless another one is given', async () => {
  await world.show(`${environment}/configuration/variables`, { troupe, between: watching() })
  await world.screen.findByText('15 characters')
  press('Edit SHOP_TOKEN')
  type(inDialog().getByLabelText('Description'), 'Of the shop.')
  submitDialog()
  await world.screen.findByText('Of the shop.')
  expect(Object.keys(sent[0]!.body as object).sort()).toEqual(['agentId', 'bindingKey', 'description', 'status'])
})

test('a taken name is reported at its field', async () => {
  await world.show(`${environment}/configuration/variables`, { troupe, between: watching() })
  await world.screen.findByText('15 characters')
  press('New variable')
  await inDialog().findByRole('option', { name: 'Clerk', hidden: true })
  type(inDialog().getByLabelText('Name'), 'SHOP_TOKEN')
  type(inDialog().getByLabelText('Agent'), agent)
  type(inDialog().getByLabelText('Binding key'), 'other')
  submitDialog()
  await world.waitFor(() => expect(inDialog().getByLabelText('Name').getAttribute('aria-invalid')).toBe('true'))
})

test('issues of Connection settings are shown at their fields', async () => {
  await world.show(`${environment}/configuration/connections`, { troupe, between: watching() })
  await world.screen.findByText('No Connections yet')
  press('New Connection')
  type(inDialog().getByLabelText('Name'), 'Shop API')
  type(inDialog().getByLabelText('Base URL'), 'https://api.example.com/?a=b')
  submitDialog()
  await inDialog().findByText('Must not have a query.')
  expect(inDialog().getByLabelText('Base URL').getAttribute('aria-invalid')).toBe('true')
  type(inDialog().getByLabelText('Base URL'), 'https://api.example.com')
  type(inDialog().getByLabelText('Headers'), 'Accept-Language: en')
  submitDialog()
  await world.screen.findByRole('heading', { name: 'Shop API' })
  expect(sent.at(-1)!.body).toMatchObject({
    kind: 'http',
    settings: { baseUrl: 'https://api.example.com', headers: { 'Accept-Language': 'en' } },
    providerCredentialId: null,
  })
})

test('a kind has the fields of its settings', async () => {
  await world.show(`${environment}/configuration/connections`, { troupe, between: watching() })
  await world.screen.findByRole('link', { name: 'Shop API' })
  press('New Connection')
  type(inDialog().getByLabelText('Kind'), 'database')
  for (const label of ['Engine', 'Host', 'Port', 'Database']) inDialog().getByLabelText(label)
  expect(inDialog().queryByLabelText('Base URL')).toBeNull()
})

test('an account is connected at the provider, which redirects back', async () => {
  const item = { id: 'int_1', presetKey: 'google-workspace', status: 'active' }
  const between = watching(({ path }) =>
    path.endsWith('/integrations') ? Response.json({ data: { items: [item] } }) : undefined,
  )
  await world.show(`${environment}/configuration/connections`, { troupe, between })
  await world.screen.findByRole('link', { name: 'Shop API' })
  press('Connect an account')
  const link = await world.screen.findByRole('link', { name: 'Connect with Google Workspace', hidden: true })
  const address = new URL(link.getAttribute('href')!)
  expect(address.pathname).toBe('/api/oauth/start/google-workspace')
  expect(address.searchParams.get('returnTo')).toBe(`${environment}/configuration/connections`)
  expect(`${project}/e/${address.searchParams.get('environmentId')}`).toBe(environment)
})

test('a provider without a client of the organization leads to the integrations', async () => {
  await world.show(`${environment}/configuration/connections`, { troupe })
  await world.screen.findByRole('link', { name: 'Shop API' })
  press('Connect an account')
  const link = await world.screen.findByRole('link', { name: 'Register client', hidden: true })
  expect(link.getAttribute('href')).toBe('/o/default/settings/integrations')
})

test.each([
  ['oauth=error&code=access_denied', 'Consent was denied at the provider. No account was connected.'],
  ['oauth=error&code=<b>', 'The account was not connected: unknown error. Try again.'],
])('back with %s: %s', async (search, words) => {
  await world.show(`${environment}/configuration/connections?${search}`, { troupe })
  await world.screen.findByText(words)
})

test('back with a Connection, it is one click away', async () => {
  await world.show(`${environment}/configuration/connections?oauth=success&connectionId=con_1`, { troupe })
  const link = await world.screen.findByRole('link', { name: 'View Connection' })
  expect(link.getAttribute('href')).toBe(`${environment}/configuration/connections/con_1`)
})

test('the model of an Agent is chosen', async () => {
  await world.show(`${environment}/configuration/models`, { troupe, between: watching() })
  const choose = await world.screen.findByRole('button', { name: 'Choose model of Clerk' })
  await world.waitFor(() => expect(choose.hasAttribute('disabled')).toBe(false))
  world.fireEvent.click(choose)
  type(inDialog().getByLabelText('Provider'), 'openai')
  type(inDialog().getByLabelText('Model'), 'gpt-5.5')
  type(inDialog().getByLabelText('Settings'), '[]')
  submitDialog()
  await inDialog().findByText('Must be a JSON object: { … }.')
  expect(sent).toEqual([])
  type(inDialog().getByLabelText('Settings'), '{"temperature": 0}')
  submitDialog()
  await world.screen.findByText('gpt-5.5')
  expect(sent).toMatchObject([{ body: { provider: 'openai', model: 'gpt-5.5', settings: { temperature: 0 } } }])
})

test('the model of an Agent is reset, and its form is not saved with that', async () => {
  await world.show(`${environment}/configuration/models`, { troupe, between: watching() })
  const change = await world.screen.findByRole('button', { name: /model of Clerk$/ })
  await world.screen.findByText('gpt-5.5')
  world.fireEvent.click(change)
  type(await inDialog().findByLabelText('Model'), 'gpt-5.5-mini')
  press('Reset to default')
  const confirm = await world.screen.findByRole('button', { name: 'Reset', hidden: true })
  world.fireEvent.submit(confirm.closest('form')!)
  await world.screen.findByText('Clerk now uses the platform default')
  expect(sent.map(({ method }) => method)).toEqual(['DELETE'])
})

test('access is granted to a member, by whole families of permissions', async () => {
  await world.show(`${project}/access`, { troupe, between: watching() })
  await world.screen.findByText('No access grants')
  press('Grant access')
  const option = await inDialog().findByRole('option', { name: /owner@/i, hidden: true })
  type(inDialog().getByLabelText('Member'), option.getAttribute('value')!)
  submitDialog()
  await inDialog().findByText('Choose at least one permission.')
  world.fireEvent.click(inDialog().getByLabelText('All of webhooks'))
  world.fireEvent.click(inDialog().getByLabelText('projects:get'))
  submitDialog()
  await world.screen.findByRole('table', { name: 'access grants' })
  expect(sent).toMatchObject([{ body: { permissions: ['projects:get', 'webhooks:*'] } }])
})

test('without permission to list members, a member is named by id', async () => {
  const between = watching(({ path }) =>
    path.endsWith('/members')
      ? errorAnswer(403, 'permission_denied', 'No.', { permission: 'organizations:manage-members' })
      : undefined,
  )
  await world.show(`${project}/access`, { troupe, between })
  await world.screen.findByRole('table', { name: 'access grants' })
  press('Grant access')
  const field = await inDialog().findByPlaceholderText('usr_…')
  expect(field.tagName).toBe('INPUT')
})
