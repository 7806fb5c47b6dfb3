/**
 * Pages linked from mails, against a real server and a real mail server: invitations, new passwords, verified
 * addresses.
 */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { api } from '../support/client.ts'
import { MailServer } from '../support/services/mail-server.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'

let post: MailServer
let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  post = await MailServer.open()
  ;[troupe, world] = await Promise.all([
    openTroupe({ environment: { TROUPE_SMTP_URL: post.url, TROUPE_RUNNER: 'none' } }),
    openConsole(),
  ])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
  await post?.stop()
})

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const press = (name: string | RegExp) => world.fireEvent.click(world.screen.getByRole('button', { name }))
const submit = (label: string) => world.fireEvent.submit(world.screen.getByLabelText(label).closest('form')!)
const pathIn = (link: string) => link.slice(new URL(link).origin.length)
const members = '/api/v1/organizations/default/members'
/** Changes elsewhere while the console is open. */
const meanwhile = <Value,>(happening: () => Promise<Value>): Promise<Value> => world.act(happening)

let people = 0
async function invited(organization = 'default') {
  const email = `person-${++people}@example.com`
  await troupe.owner.post(`/api/v1/organizations/${organization}/members`, { email, role: 'member' })
  return { email, ...(await post.next(email)) }
}
/** An account, with a verified address by default. */
async function account({ verified = true } = {}) {
  const { email, token } = await invited()
  const password = `password of ${email}`
  await api(troupe.url).post('/api/auth/invitations', { token, name: 'Ada', password })
  if (!verified) {
    const database = new Database(troupe.file, { readwrite: true })
    database.run('pragma busy_timeout = 5000')
    database.run('update users set email_verified_at = null where email = ?', [email])
    database.close()
  }
  return { email, password }
}
async function signInAs({ email, password }: { email: string; password: string }) {
  type(await world.screen.findByLabelText('Email'), email)
  type(world.screen.getByLabelText('Password'), password)
  submit('Email')
}

test('an invitation by mail shows that it was sent, and no link', async () => {
  await world.show('/o/default/settings/members', { troupe })
  await world.screen.findByRole('button', { name: 'Leave' })
  press('Add a member')
  const dialog = world.within(world.screen.getByRole('dialog', { hidden: true }))
  type(dialog.getByLabelText('Email'), 'mailed@example.com')
  submit('Email')
  await world.screen.findByText(/^Sent to/)
  const { token } = await meanwhile(() => post.next('mailed@example.com'))
  expect(document.body.textContent).not.toContain(token)
  press('Done')
  await world.waitFor(() => expect(world.screen.queryByText(/^Sent to/)).toBeNull())
})

test('the link of an invitation creates a new account, and the token stays out of the address', async () => {
  const { link, email } = await invited()
  const { path } = await world.show(pathIn(link), { troupe, signedIn: false })
  type(await world.screen.findByLabelText('Your name'), 'Grace Hopper')
  expect(path()).toBe('/invitation')
  type(world.screen.getByLabelText('Password'), 'a password of hers')
  submit('Your name')
  await world.waitFor(() => expect(path()).toBe('/o/default'))
  const { body } = await meanwhile(() => troupe.owner.get(members))
  expect(body.data.items).toContainEqual(expect.objectContaining({ email, name: 'Grace Hopper', emailVerified: true }))
})

test('an invited user with an account signs in and joins with it', async () => {
  const own = await account()
  const made = await troupe.owner.post('/api/v1/organizations', { name: 'Second', slug: 'second' })
  expect(made.status).toBe(200)
  const { cookie, csrf } = await ownerSession()
  await api(troupe.url).post(
    '/api/v1/organizations/second/members',
    { email: own.email, role: 'member' },
    { headers: { cookie, 'x-csrf-token': csrf } },
  )
  const { link } = await post.next(own.email)
  const { path } = await world.show(pathIn(link), { troupe, signedIn: false })
  type(await world.screen.findByLabelText('Your name'), 'Ada')
  type(world.screen.getByLabelText('Password'), 'another password')
  submit('Your name')
  await world.screen.findByText(/^The invitation is for an existing account/)
  press('I have an account')
  await signInAs(own)
  await world.screen.findByText(own.email)
  press('Join with this account')
  await world.waitFor(() => expect(path()).toBe('/o/second'))
})

async function ownerSession() {
  const reply = await api(troupe.url).post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
  return { cookie: reply.headers.getSetCookie()[0]!.split(';')[0]!, csrf: reply.body.data.csrfToken as string }
}

test('a signed-in user joins with that account, or switches accounts', async () => {
  const { link } = await invited()
  await world.show(pathIn(link), { troupe })
  await world.screen.findByText(ownerEmail)
  press('Join with this account')
  await world.screen.findByText('The user is already a member of the organization.')
  press('Use another account')
  await world.screen.findByLabelText('Your name')
})

test('a forgotten password is reset by the link of a mail', async () => {
  const own = await account()
  const { navigate } = await world.show('/', { troupe, signedIn: false })
  world.fireEvent.click(await world.screen.findByRole('link', { name: 'Forgot your password?' }))
  type(await world.screen.findByLabelText('Email'), own.email)
  submit('Email')
  await world.screen.findByRole('heading', { name: 'Check your mail' })
  const { link } = await meanwhile(() => post.next(own.email))
  navigate('/')
  world.cleanup()

  const { path } = await world.show(pathIn(link), { troupe, signedIn: false })
  type(await world.screen.findByLabelText('New password'), 'a new password')
  expect(path()).toBe('/password-reset')
  type(world.screen.getByLabelText('Confirm password'), 'another one')
  submit('New password')
  await world.screen.findByText('The passwords do not match.')
  type(world.screen.getByLabelText('Confirm password'), 'a new password')
  submit('New password')
  await world.screen.findByRole('heading', { name: 'Password changed' })
  press('Sign in')
  await signInAs({ email: own.email, password: 'a new password' })
  await world.waitFor(() => expect(path()).toBe('/o/default'))
  world.cleanup()

  await world.show(pathIn(link), { troupe, signedIn: false })
  type(await world.screen.findByLabelText('New password'), 'a third password')
  type(world.screen.getByLabelText('Confirm password'), 'a third password')
  submit('New password')
  await world.screen.findByRole('heading', { name: 'This link does not work' })
})

test.each(['/password-reset', '/password-reset?token=..%2F..', '/verification?token=nonsense'])(
  '%s says that the link does not work',
  async (address) => {
    await world.show(address, { troupe })
    const verify = address.startsWith('/verification')
    if (verify) world.fireEvent.click(await world.screen.findByRole('button', { name: 'Verify email' }))
    await world.screen.findByRole('heading', { name: 'This link does not work' })
  },
)

test('a banner shows an unverified email, and a mailed link verifies it', async () => {
  const own = await account({ verified: false })
  const { navigate } = await world.show('/o/default', { troupe, signedIn: false })
  await signInAs(own)
  await world.screen.findByText(/is not verified. Until it is/)
  press('Send a link')
  const { link } = await meanwhile(() => post.next(own.email))
  navigate(pathIn(link))
  await world.screen.findByText(`Confirm that ${own.email} is yours.`)
  press('Verify email')
  await world.screen.findByRole('heading', { name: 'Email verified' })
  world.fireEvent.click(world.screen.getByRole('link', { name: 'Go to the console' }))
  await world.screen.findByRole('heading', { name: 'Overview' })
  expect(world.screen.queryByText(/is not verified. Until it is/)).toBeNull()
})

test('the verification link of another account verifies nothing', async () => {
  const own = await account({ verified: false })
  const session = await api(troupe.url).post('/api/auth/sessions', own)
  const headers = {
    cookie: session.headers.getSetCookie()[0]!.split(';')[0]!,
    'x-csrf-token': session.body.data.csrfToken,
  }
  await api(troupe.url).post('/api/auth/verifications', undefined, { headers })
  const { link } = await post.next(own.email)
  await world.show(pathIn(link), { troupe, signedIn: false })
  await signInAs({ email: ownerEmail, password: ownerPassword })
  await world.screen.findByText(`Confirm that ${ownerEmail} is yours.`)
  press('Verify email')
  await world.screen.findByRole('heading', { name: 'This link does not work' })
})

test('an account whose address others have too is found by its organization', async () => {
  const own = await account()
  const { path } = await world.show('/', { troupe, signedIn: false })
  type(await world.screen.findByLabelText('Email'), own.email)
  type(world.screen.getByLabelText('Password'), own.password)
  type(world.screen.getByLabelText('Organization'), 'nowhere')
  submit('Email')
  await world.screen.findByText('The email or the password is wrong.')
  type(world.screen.getByLabelText('Organization'), 'default')
  submit('Email')
  await world.waitFor(() => expect(path()).toBe('/o/default'))
})
