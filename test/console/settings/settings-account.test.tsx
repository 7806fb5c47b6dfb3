/** The user's own sessions, those of members, and the rotation of keys, against a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { browserName } from '../../../src/console/pages/settings/account/browser-name.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { newMember, signIn } from '../../tenancy/sessions/browser.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'
import { type Sent, watchingInto } from '../support/watching.ts'

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
const watching = (answer?: (request: Sent) => Response | undefined) => watchingInto(sent, answer)

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getAllByRole('button', { name })[0]!)
const inDialog = () =>
  world.within(world.screen.getAllByRole('dialog', { hidden: true }).find((dialog) => dialog.hasAttribute('open'))!)
const confirm = (name: string) => world.fireEvent.click(inDialog().getByRole('button', { name, hidden: true }))
const submit = (label: string | RegExp) =>
  world.fireEvent.submit(inDialog().getByLabelText(label, { selector: 'input, select, textarea' }).closest('form')!)
const sessions = () => world.screen.findByRole('table', { name: 'your sessions' })

test('one session is ended, then all others, but not the current one', async () => {
  const others = [await signIn(troupe), await signIn(troupe), await signIn(troupe)]
  const alive = async () =>
    (await Promise.all(others.map(({ get }) => get('/api/auth/session')))).map((one) => one.status)
  await world.show('/o/default/settings/account', { troupe })
  await sessions()
  expect(world.screen.getAllByText('current')).toHaveLength(1)
  const buttons = world.screen.getAllByRole('button', { name: /^End the session of/ })
  expect(buttons.length).toBeGreaterThanOrEqual(3)
  world.fireEvent.click(buttons[0]!)
  confirm('End session')
  await world.screen.findByText('Session ended')
  const left = () => world.screen.queryAllByRole('button', { name: /^End the session of/ })
  await world.waitFor(() => expect(left()).toHaveLength(buttons.length - 1))
  expect(await alive()).toEqual([200, 200, 401])

  press('End all other sessions')
  confirm('End sessions')
  await world.screen.findByText('All other sessions ended')
  await world.waitFor(() => expect(left()).toEqual([]))
  expect(await alive()).toEqual([401, 401, 401])
  expect(world.screen.getAllByText('current')).toHaveLength(1)
})

test('the user agent of a session is rendered as text', async () => {
  const markup = '<img src=x onerror=alert(1)>'
  await troupe
    .as(null)
    .post(
      '/api/auth/sessions',
      { email: 'owner@localhost', password: 'correct horse battery staple' },
      { headers: { 'user-agent': markup } },
    )
  const { container } = await world.show('/o/default/settings/account', { troupe })
  await sessions()
  await world.screen.findByText(markup)
  expect(container.querySelector('img')).toBeNull()
})

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
test.each([
  [`${windows} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`${windows} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.14.1', 'curl/8.14.1'],
])('%s is named %s', (userAgent, name) => expect(browserName(userAgent)).toBe(name))

test('a weak password is refused at its field', async () => {
  await world.show('/o/default/settings/account', { troupe })
  type(await world.screen.findByLabelText('Current password'), 'correct horse battery staple')
  type(world.screen.getByLabelText('New password'), 'iloveyou')
  type(world.screen.getByLabelText('Confirm password'), 'iloveyou')
  world.fireEvent.submit(world.screen.getByLabelText('New password').closest('form')!)
  await world.screen.findByText(/Is one of the most common passwords/)
})

test("a member's sessions are ended for the organization", async () => {
  const member = await newMember(troupe, 'default', 'ended@example.com')
  const heard = async () => (await member.get('/api/v1/organizations/default')).status
  expect(await heard()).toBe(200)
  await world.show('/o/default/settings/members', { troupe, between: watching() })
  await world.screen.findByRole('button', { name: 'Leave' })
  press('End sessions of Somebody')
  confirm('End sessions')
  await world.screen.findByText('Sessions of Somebody ended')
  const organization = (await troupe.owner.get('/api/v1/organizations/default')).body.data.id
  const path = `/api/v1/organizations/${organization}/members/${member.userId}/sessions`
  expect(sent.map((request) => `${request.method} ${request.path}`)).toEqual([`DELETE ${path}`])
  expect(await heard()).toBe(401)
})

test('a key is rotated with an overlap; the new secret is shown once, on the way to the new key', async () => {
  const { body } = await troupe.owner.post('/api/v1/api-keys', { name: 'Reports', operations: ['projects:list'] })
  const { path } = await world.show(`/o/default/settings/keys/${body.data.id}`, { troupe, between: watching() })
  await world.screen.findByRole('heading', { name: 'Reports' })
  press('Rotate')
  const overlap = inDialog().getByLabelText('Expire the old one') as HTMLSelectElement
  expect(overlap.value).toBe('0')
  type(overlap, '3600')
  submit('Expire the old one')
  const secret = (await world.screen.findByText(/^trp_\w{49}$/)).textContent!
  expect(sent).toMatchObject([{ path: `/api/v1/api-keys/${body.data.id}/rotate`, body: { overlapSeconds: 3600 } }])
  await world.screen.findByText(/The old key works until/)
  press('I have stored it')
  await world.waitFor(() => expect(path()).not.toContain(body.data.id))
  await world.screen.findByRole('heading', { name: 'Reports' })
  expect(path()).toContain('/settings/keys/key_')
  for (const key of [secret, body.data.secret]) expect((await troupe.as(key).get('/api/v1/projects')).status).toBe(200)
  expect(document.body.textContent).not.toContain(secret)
})

test('a key that may create keys is announced with a warning, before and after its creation', async () => {
  const { id } = (await troupe.owner.post('/api/v1/projects', { slug: 'quiet', name: 'Quiet' })).body.data
  await world.show('/o/default/settings/keys', { troupe, between: watching() })
  await world.screen.findByRole('table', { name: 'API keys' })
  press('New key')
  type(inDialog().getByLabelText('Name'), 'Everything')
  expect(world.screen.queryByText(/can create keys|may create further keys/)).toBeNull()
  world.fireEvent.click(inDialog().getByLabelText('api-keys:create'))
  const warning = /With api-keys:create this key may create further keys/
  await world.screen.findByText(warning)
  // bound to a Project, it creates none
  const bound = inDialog().getByLabelText('Bound to Project')
  await inDialog().findByRole('option', { name: 'Quiet' })
  type(bound, id)
  await world.waitFor(() => expect(world.screen.queryByText(warning)).toBeNull())
  type(bound, '')
  await world.screen.findByText(warning)
  submit('Name')
  await world.screen.findByText(/^trp_\w{49}$/)
  await world.screen.findByText(/This key can create keys with any operations/)
})
