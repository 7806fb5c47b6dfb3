/** Settings of an organization, against a real server: members, name, deletion, and missing permissions. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
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

test.each([
  ['groups', 'No groups yet'],
  ['credentials', 'No credentials yet'],
  ['variables', 'No variables yet'],
  ['integrations', 'No integrations yet'],
])('%s: an empty list says what it will contain', async (page, title) => {
  await world.show(`/o/default/settings/${page}`, { troupe })
  await world.screen.findByText(title)
})

test('a new key and a new alert rule offer the same Projects, by name, one after the other', async () => {
  for (const [name, slug] of [
    ['Branch 9', 'nine'],
    ['Branch 10', 'ten'],
    ['annex', 'annex'],
  ])
    expect((await troupe.owner.post('/api/v1/projects', { name, slug })).status).toBe(201)
  const offered = async (dialog: string, field: string) => {
    await world.screen.findByText(dialog, { selector: 'h2' })
    const select = await inDialog().findByLabelText<HTMLSelectElement>(field)
    await inDialog().findByText('annex')
    return [...select.options].slice(1).map(({ text }) => text)
  }
  const { navigate } = await world.show('/o/default/settings/keys?open=new', { troupe })
  expect(await offered('New API key', 'Bound to Project')).toEqual(['annex', 'Branch 9', 'Branch 10'])
  navigate('/o/default/alerts?open=new')
  expect(await offered('New alert rule', 'Project')).toEqual(['annex', 'Branch 9', 'Branch 10'])
})

test.each([
  ['members', 'organizations:manage-members'],
  ['groups', 'organizations:manage-user-groups'],
  ['keys', 'api-keys:list'],
  ['variables', 'organization-variables:list'],
  ['integrations', 'organization-integrations:list'],
  ['billing', 'billing:read'],
  ['audit', 'organizations:manage-members'],
])('%s name the missing permission, and offer no action', async (page, permission) => {
  const between = watching(({ method, path }) =>
    method === 'GET' && path.startsWith('/api/v1/') && !path.endsWith('/presets')
      ? errorAnswer(403, 'permission_denied', 'No.', { permission })
      : undefined,
  )
  await world.show(`/o/default/settings/${page}`, { troupe, between })
  await world.screen.findByText(`You need the permission ${permission}.`)
  expect(world.screen.queryByRole('button', { name: /^(New|Add|Register|Choose)/ })).toBeNull()
})

test('forbidden credentials are explained by the missing permission', async () => {
  const between = watching(({ path }) =>
    path.endsWith('/provider-credentials') ? errorAnswer(404, 'not_found', 'Not found.') : undefined,
  )
  await world.show('/o/default/settings/credentials', { troupe, between })
  await world.screen.findByText('You need the permission provider-credentials:list.')
})

test('an invitation shows its link once', async () => {
  await world.show('/o/default/settings/members', { troupe })
  await world.screen.findByRole('button', { name: 'Leave' })
  press('Add a member')
  type(inDialog().getByLabelText('Email'), 'ada@example.com')
  type(inDialog().getByLabelText('Role'), 'admin')
  submit('Email')
  const link = await world.screen.findByText(/\/invitation#/)
  const token = link.textContent!.split('#')[1]!
  press('I have stored it')
  await world.screen.findByText('ada@example.com')
  expect(world.screen.queryByRole('dialog', { hidden: true })).toBeNull()
  expect(document.body.textContent).not.toContain(token)

  await troupe
    .as('')
    .post('/api/auth/invitations', { token, name: '<img src=x onerror=alert(1)>', password: 'correct-horse' })
})

test('a name is rendered as text, and a role changes', async () => {
  const { container } = await world.show('/o/default/settings/members', { troupe })
  await world.screen.findByText('<img src=x onerror=alert(1)>')
  expect(container.querySelector('img')).toBeNull()
  press('Change the role of <img src=x onerror=alert(1)>')
  type(inDialog().getByLabelText('Role'), 'member')
  submit('Role')
  await world.screen.findByText('<img src=x onerror=alert(1)> is now member')
})

test('members are found by name or address', async () => {
  await world.show('/o/default/settings/members', { troupe })
  await world.screen.findByText('<img src=x onerror=alert(1)>')
  type(world.screen.getByRole('searchbox', { name: 'Search members' }), 'owner')
  await world.waitFor(() => expect(world.screen.queryByText('<img src=x onerror=alert(1)>')).toBeNull())
  await world.screen.findByText('you')
  type(world.screen.getByRole('searchbox', { name: 'Search members' }), 'nobody')
  await world.screen.findByText('No members found')
})

test('the last owner cannot leave', async () => {
  await world.show('/o/default/settings/members', { troupe })
  await world.screen.findByRole('button', { name: 'Leave' })
  press('Leave')
  world.fireEvent.click(inDialog().getByRole('button', { name: 'Leave', hidden: true }))
  await world.screen.findByText('This is the last owner; an organization must keep at least one.')
})

test('a new slug is the new address, without leaving the page', async () => {
  const { path } = await world.show('/o/default/settings', { troupe })
  type(await world.screen.findByLabelText('Slug'), 'renamed')
  submit('Slug')
  await world.waitFor(() => expect(path()).toBe('/o/renamed/settings'))
  await world.screen.findByDisplayValue('renamed')
  type(world.screen.getByLabelText('Slug'), 'default')
  submit('Slug')
  await world.waitFor(() => expect(path()).toBe('/o/default/settings'))
})

test('issues of a slug are shown at its field', async () => {
  await world.show('/o/default/settings', { troupe })
  type(await world.screen.findByLabelText('Slug'), 'Not A Slug')
  submit('Slug')
  await world.screen.findByText('Must be 1 to 63 lower-case letters, digits and inner hyphens.')
  expect(world.screen.getByLabelText('Slug').getAttribute('aria-invalid')).toBe('true')
})

test('an organization is deleted by typing its name', async () => {
  const between = watching(({ method }) =>
    method === 'DELETE' ? errorAnswer(409, 'billing_active', 'A paid contract runs.') : undefined,
  )
  await world.show('/o/default/settings', { troupe, between })
  await world.screen.findByLabelText('Slug')
  press('Delete organization')
  const typed = inDialog().getByLabelText('Type Default to confirm')
  world.fireEvent.submit(typed.closest('form')!)
  expect(sent).toEqual([])
  type(typed, 'Default')
  world.fireEvent.submit(typed.closest('form')!)
  await world.screen.findByText('A paid contract runs.')
  expect(sent).toMatchObject([{ method: 'DELETE' }])
})

test('the page of an organization shows the progress of its deletion', async () => {
  const deletion = { requestedAt: '2026-01-01T00:00:00.000Z', isCounted: true, recordsRemoved: 0 }
  await world.show('/o/default/settings', {
    troupe,
    between: (next) => async (url, init) => {
      const answer = await next(url, init)
      if (!/\/organizations\/org_\w+$/.test(url)) return answer
      const { data } = await answer.json()
      return Response.json({
        data: { ...data, status: 'deleting', deletion: { ...deletion, runsCounted: 7, runsRemoved: 1 } },
      })
    },
  })
  await world.screen.findByText('1 of 7 runs removed.', { selector: 'p' })
  expect(world.screen.queryByRole('button', { name: 'Delete organization' })).toBeNull()
})

const counters = { runs: { started: 1_200, completed: 1_100, failed: 4 }, tokens: { input: 5, output: 6 } }
/** Ended early by a contract: otherwise it would continue. */
const january = { start: '2026-01-01T00:00:00.000Z', end: '2099-02-01T00:00:00.000Z' }
const february = { start: '2026-02-01T00:00:00.000Z', end: '2099-03-01T00:00:00.000Z' }
const used = (used: number, reserved = 0) => ({ used, reserved, budget: 1_000, remaining: 1_000 - used })

/** Answers with usage that no real organization of a test has; `asked` records the requests. */
function withUsage() {
  const asked: Record<string, string>[] = []
  const between = (next: Fetch): Fetch => {
    return async (url, init) => {
      const { pathname, searchParams } = new URL(url)
      if (!pathname.endsWith('/billing/usage')) return next(url, init)
      const query = Object.fromEntries(searchParams)
      asked.push(query)
      const { data } = (await (await next(url.split('?')[0] as string, init)).json()) as { data: object }
      const isPast = query.period === january.start
      const share = { ...counters, period: january, minutes: used(30) }
      const items =
        query.by === 'agent'
          ? [{ ...share, agentId: 'agt_1', name: 'Clerk' }]
          : [
              { ...share, projectId: 'prj_1', name: 'Shop' },
              { ...share, projectId: 'prj_2', name: null, minutes: used(6) },
              { ...share, projectId: null, name: null, minutes: used(4) },
            ]
      const period = isPast ? january : february
      const whole = { ...data, ...counters, period, minutes: isPast ? used(40) : used(997, 3), pastPeriods: [january] }
      return Response.json({ data: { ...whole, items } })
    }
  }
  return { asked, between }
}

test('reserved minutes count against the budget, and explain why runs are refused', async () => {
  await world.show('/o/default/settings/billing', { troupe, between: withUsage().between })
  await world.screen.findAllByText('997 of 1,000 minutes used')
  await world.screen.findByText('0 available')
  await world.screen.findByText(/^3 reserved for runs in progress/)
  await world.screen.findByText('New runs are refused until runs in progress end or the plan changes.')
  const limits = await world.screen.findByRole('list', { name: 'Limits of the plan' })
  expect(limits.textContent).toMatch(/Projects\d+ of 100/)
  expect(limits.textContent).toMatch(/Stored run data[\d.]+ (?:B|KiB) · no limit/)
})

test('past periods are shown by Project and by Agent, each with an address', async () => {
  const { asked, between } = withUsage()
  const { path } = await world.show('/o/default/settings/billing', { troupe, between })
  const byProject = await world.screen.findByRole('table', { name: 'usage by Project' })
  const rows = [...byProject.querySelectorAll('tbody tr')].map((row) => row.textContent)
  expect(rows.map((row) => row?.slice(0, 6))).toEqual(['Shop30', 'Delete', 'System'])
  type(await world.screen.findByLabelText('Period'), january.start)
  await world.screen.findByText('40 minutes used')
  // the plan of that time is unknown
  expect(world.screen.queryByText(/available/)).toBeNull()
  world.fireEvent.click(world.screen.getByLabelText('By Agent'))
  await world.screen.findByRole('table', { name: 'usage by Agent' })
  await world.screen.findByText('Clerk')
  expect(asked).toContainEqual({ by: 'agent', period: january.start })
  expect(new URLSearchParams(path().split('?')[1]).get('period')).toBe(january.start)
})
