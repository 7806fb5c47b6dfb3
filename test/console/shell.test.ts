/** The console's frame against a real server: sign-in, navigation, and errors in between. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole, type ShowOptions } from './support/console.ts'

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

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })

async function signIn(password = ownerPassword) {
  const { screen } = world
  type(await screen.findByLabelText('Email'), ownerEmail)
  type(screen.getByLabelText('Password'), password)
  world.fireEvent.submit(screen.getByLabelText('Email').closest('form')!)
}

test('sign-in keeps the requested address', async () => {
  const { path } = await world.show('/o/default/projects', { troupe, signedIn: false })
  await signIn()
  await world.screen.findByRole('heading', { name: 'Projects' })
  expect(path()).toBe('/o/default/projects')
})

test('a wrong password is refused without a hint at the account', async () => {
  await world.show('/', { troupe, signedIn: false })
  await signIn('wrong')
  const alert = await world.screen.findByRole('alert')
  expect(alert.textContent).toBe('The email or the password is wrong.')
})

test('the root leads to the first organization', async () => {
  const { path } = await world.show('/', { troupe })
  await world.screen.findByRole('heading', { name: 'Overview' })
  expect(path()).toBe('/o/default')
})

test.each(['/billing', '/billing/success', '/pricing'])(
  '%s, where payments return to, is the billing page',
  async (address) => {
    const { path } = await world.show(address, { troupe })
    await world.screen.findByRole('heading', { name: 'Billing' })
    expect(path()).toStartWith('/o/default/settings/billing')
  },
)

test.each([
  ['an organization that the user does not belong to', '/o/elsewhere'],
  ['an address without a page', '/o/default/nowhere'],
  ['an id that is a path', '/o/default/runs/..%2F..%2Fapi-keys'],
])('%s shows that there is nothing', async (_, address) => {
  await world.show(address, { troupe })
  await world.screen.findByText('Not found')
})

test('a page without a title of its own does not keep that of the page before', async () => {
  const { navigate } = await world.show('/o/default/projects', { troupe })
  await world.waitFor(() => expect(document.title).toBe('Projects · Troupe'))
  navigate('/o/default/alerts/alr_01h455vb4pex5vsknk084sn02q')
  await world.screen.findByText('Not found')
  expect(document.title).toBe('Troupe')
})

test('names are rendered as text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await troupe.owner.post('/api/v1/projects', { name, slug: 'hostile' })
  const { container } = await world.show('/o/default/projects', { troupe })
  await world.screen.findByRole('link', { name })
  expect(container.querySelector('img')).toBeNull()
})

test('an expired session is renewed without leaving the page', async () => {
  const { navigate, path, signOutElsewhere } = await world.show('/o/default/statecharts', { troupe })
  await world.screen.findByRole('heading', { name: 'Statecharts' })
  await signOutElsewhere()
  navigate('/o/default/projects')
  await world.screen.findByRole('heading', { name: 'Your session has ended', hidden: true })
  type(world.screen.getByLabelText('Password'), ownerPassword)
  world.fireEvent.submit(world.screen.getByLabelText('Password').closest('form')!)
  await world.screen.findByRole('table', { name: 'projects', hidden: true })
  expect(world.screen.queryByText('Your session has ended')).toBeNull()
  expect(path()).toBe('/o/default/projects')
})

test('issues of a form are shown at their fields', async () => {
  await world.show('/o/default/projects', { troupe })
  world.fireEvent.click((await world.screen.findAllByRole('button', { name: 'New project' }))[0]!)
  type(world.screen.getByLabelText('Name'), 'Fine')
  const slug = world.screen.getByLabelText('Slug')
  type(slug, 'Not a slug')
  world.fireEvent.submit(slug.closest('form')!)
  await world.waitFor(() => expect(slug.getAttribute('aria-invalid')).toBe('true'))
  const described = slug.getAttribute('aria-describedby')!.split(' ').at(-1)!
  expect(document.getElementById(described)!.textContent).toBe(
    'Must be 1 to 63 lower-case letters, digits and inner hyphens.',
  )
})

test('requests to an unresponsive server are repeated on demand', async () => {
  let away = true
  await world.show('/o/default/projects', {
    troupe,
    between: (next) => (url, init) => {
      if (away && url.includes('/api/v1/projects')) return Promise.reject(new TypeError('connection refused'))
      return next(url, init)
    },
  })
  await world.screen.findByText('The server is not responding')
  away = false
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Try again' }))
  await world.screen.findByRole('table', { name: 'projects' })
})

test('a missing permission is named', async () => {
  await world.show('/o/default/projects', {
    troupe,
    between: (next) => async (url, init) => {
      if (!url.includes('/api/v1/projects')) return next(url, init)
      const error = {
        code: 'permission_denied',
        message: 'No.',
        requestId: 'r',
        details: { permission: 'projects:list' },
      }
      return Response.json({ error }, { status: 403 })
    },
  })
  await world.screen.findByText('You need the permission projects:list.')
})

/** This many approvals wait, or the list is refused. Records the requests. */
function approvalsOf(answer: number | 403) {
  const asked: URLSearchParams[] = []
  const between: ShowOptions['between'] = (next) => (url, init) => {
    const { pathname, searchParams } = new URL(url)
    if (!pathname.endsWith('/operation-approvals')) return next(url, init)
    asked.push(searchParams)
    if (answer === 403) {
      const error = { code: 'permission_denied', message: 'No.', requestId: 'r', details: {} }
      return Promise.resolve(Response.json({ error }, { status: 403 }))
    }
    const items = Array.from({ length: answer }, (_, place) => ({ id: `apr_${place}` }))
    return Promise.resolve(Response.json({ data: { items }, pagination: { hasMore: answer === 100 } }))
  }
  return { asked, between }
}
const inEnvironment = '/o/default/p/prj_1/e/env_1/webhooks'

test.each([
  [1, '1', '1 approval pending'],
  [3, '3', '3 approvals pending'],
  [100, '99+', 'More than 99 approvals pending'],
])('%i waiting approvals are shown next to their link', async (count, shown, spoken) => {
  const { asked, between } = approvalsOf(count)
  await world.show(inEnvironment, { troupe, between })
  const link = await world.screen.findByRole('link', { name: `Approvals ${spoken}` })
  expect(link.querySelector('.navigation-count')!.textContent).toBe(shown + spoken)
  expect(asked.map(String)).toEqual(['status=pending&limit=100'])
})

test('returning to the window refreshes the number of approvals', async () => {
  const { asked, between } = approvalsOf(0)
  await world.show(inEnvironment, { troupe, between })
  await world.waitFor(() => expect(asked.length).toBe(1))
  world.screen.getByRole('link', { name: 'Approvals' })
  world.fireEvent(window, new Event('visibilitychange'))
  await world.waitFor(() => expect(asked.length).toBe(2))
})

test('without permission for approvals none are shown or requested again', async () => {
  const { asked, between } = approvalsOf(403)
  await world.show(inEnvironment, { troupe, between })
  await world.waitFor(() => expect(asked.length).toBe(1))
  await world.screen.findByText('Not found')
  world.fireEvent(window, new Event('visibilitychange'))
  expect(asked.length).toBe(1)
  world.screen.getByRole('link', { name: 'Approvals' })
})

test('nothing is requested outside of Environments', async () => {
  const { asked, between } = approvalsOf(3)
  await world.show('/o/default/projects', { troupe, between })
  await world.screen.findByRole('heading', { name: 'Projects' })
  expect(asked.length).toBe(0)
})
