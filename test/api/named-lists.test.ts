/** Lists of named things filter by that name exactly; a cursor is bound to the filter. Source: contract 0, "Decided since". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'

let troupe: Troupe
const at: Record<string, string> = {}
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  const { owner } = troupe
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await owner.post(path, body)
    expect(status).toBeLessThan(300)
    return answer.data.id as string
  }
  const organization = (await owner.get('/api/v1/organizations')).body.data.items[0].id
  const project = await made('/api/v1/projects', { slug: 'desk', name: 'Desk' })
  const environment = (await owner.get(`/api/v1/projects/${project}/environments`)).body.data.items[0].id
  Object.assign(at, {
    organizations: '/api/v1/organizations',
    projects: '/api/v1/projects',
    agents: `/api/v1/projects/${project}/agents`,
    definitions: `/api/v1/projects/${project}/definitions`,
    connections: `/api/v1/projects/${project}/environments/${environment}/connections`,
    variables: `/api/v1/projects/${project}/environments/${environment}/variables`,
    jobs: `/api/v1/projects/${project}/environments/${environment}/agent-jobs`,
    organizationVariables: `/api/v1/organizations/${organization}/variables`,
    credentials: `/api/v1/organizations/${organization}/provider-credentials`,
  })
  at.members = `/api/v1/organizations/${organization}/members`
  const invited = await owner.post(at.members, { email: 'ada@calls.example', role: 'member' })
  const { token } = invited.body.data.invitation
  await troupe.as('').post('/api/auth/invitations', { token, name: 'Ada Lovelace', password: 'correct-horse' })
  await made('/api/v1/projects', { slug: 'desk-2', name: 'desk' })
  const agentId = await made(at.agents as string, { slug: 'clerk', name: 'Clerk' })
  await made(at.agents as string, { slug: 'clerk-2', name: 'clerk' })
  await made(at.agents as string, { slug: 'doctors', name: 'Ärzte' })
  for (const name of ['shop', 'shop-2']) await made(at.definitions as string, { name, kind: 'entity' })
  for (const name of ['crm', 'CRM', 'crm 2']) {
    await made(at.connections as string, { name, kind: 'custom', settings: {} })
  }
  for (const list of ['variables', 'organizationVariables']) {
    for (const name of ['KEY', 'KEY_2']) await made(at[list] as string, { name, value: 'x' })
  }
  for (const label of ['main', 'main', 'mainly']) {
    await made(at.credentials as string, { label, provider: 'custom', credentialType: 'api_key', secret: 's' })
  }
  for (const name of ['nightly', 'nightly', 'nightly 2']) {
    await made(at.jobs as string, { agentId, name, schedule: { cron: '0 0 1 1 *' }, query: 'Report.', enabled: false })
  }
})
afterAll(() => troupe?.stop())

/** The list, the filter, a name, the number of items with that name, and a name that is similar to it. */
const lists: [string, string, string, number, string][] = [
  ['organizations', 'slug', 'default', 1, 'defaul'],
  ['projects', 'slug', 'desk', 1, 'Desk'],
  ['agents', 'slug', 'clerk', 1, 'cler_'],
  ['definitions', 'name', 'shop', 1, 'SHOP'],
  ['connections', 'name', 'CRM', 1, 'Crm'],
  ['variables', 'name', 'KEY', 1, 'KEY%'],
  ['organizationVariables', 'name', 'KEY', 1, 'key'],
  ['jobs', 'name', 'nightly', 2, 'nightl'],
  ['credentials', 'label', 'main', 2, ' main'],
]

describe.each(lists)('%s by %s', (list, filter, name, count, alike) => {
  const named = async (value: string) => {
    const { body } = await troupe.owner.get(at[list] as string, { query: { [filter]: value } })
    return (body.data.items as Record<string, string>[]).map((item) => item[filter] as string)
  }

  test('returns exactly the items with that name', async () => {
    expect(await named(name)).toEqual(Array.from({ length: count }, () => name))
    expect(await named(alike)).toEqual([])
    expect(await named("' or 1=1 --")).toEqual([])
  })

  test('accepts one name, not an empty one', async () => {
    for (const query of [
      `?${filter}=`,
      `?${filter}=a&${filter}=b`,
      `?${filter}=%00`,
      `?${filter}=${'x'.repeat(201)}`,
    ]) {
      const { status, body } = await troupe.owner.get(`${at[list]}${query}`)
      expect([query, status, body.error.code]).toEqual([query, 422, 'validation_failed'])
    }
  })
})

test('a cursor is bound to the name', async () => {
  const jobs = at.jobs as string
  const first = await troupe.owner.get(jobs, { query: { name: 'nightly', limit: 1 } })
  const cursor: string = first.body.pagination.nextCursor
  const second = await troupe.owner.get(jobs, { query: { name: 'nightly', limit: 1, cursor } })
  expect(second.body.pagination.hasMore).toBe(false)
  expect(second.body.data.items[0].id).not.toBe(first.body.data.items[0].id)
  for (const query of [{ cursor }, { cursor, name: 'nightly 2' }]) {
    const { status, body } = await troupe.owner.get(jobs, { query })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  }
})

test('a key limited to some of them finds only those', async () => {
  const { body } = await troupe.owner.get(at.projects as string, { query: { slug: 'desk-2' } })
  const bound = await troupe.owner.post('/api/v1/api-keys', {
    name: 'bound',
    operations: ['*'],
    projectId: body.data.items[0].id,
  })
  const client = troupe.as(bound.body.data.secret)
  const slugs = async (slug: string) =>
    (await client.get(at.projects as string, { query: { slug } })).body.data.items.map(
      (item: { slug: string }) => item.slug,
    )
  expect([await slugs('desk'), await slugs('desk-2')]).toEqual([[], ['desk-2']])
})

describe('a search', () => {
  const found = async (list: string, query: Record<string, string | number>) => {
    const { body } = await troupe.owner.get(at[list] as string, { query })
    return { ...body, names: body.data.items.map(({ slug, name }: Record<string, string>) => slug ?? name) }
  }

  test.each([
    ['projects', 'DES 2', ['desk-2']],
    ['projects', 'dsk', []],
    ['agents', 'Clerk', ['clerk-2', 'clerk']],
    ['agents', '2 cler', ['clerk-2']],
    ['agents', 'cl%k', []],
    ['agents', 'ÄRZTE', ['doctors']],
    ['agents', 'ärzte', ['doctors']],
    ['definitions', 'entity -2', ['shop-2']],
    ['members', 'LOVE', ['Ada Lovelace']],
    ['members', 'calls.example ada', ['Ada Lovelace']],
    ['members', 'ada@other.example', []],
  ])('of %s for %s', async (list, search, names) => {
    expect((await found(list, { search })).names).toEqual(names)
  })

  test('is a filter beside others, to which cursors are bound', async () => {
    expect((await found('agents', { search: 'clerk', slug: 'clerk' })).names).toEqual(['clerk'])
    const { names, pagination } = await found('agents', { search: 'clerk', limit: 1 })
    expect(names).toEqual(['clerk-2'])
    const cursor: string = pagination.nextCursor
    const last = await found('agents', { search: 'clerk', limit: 1, cursor })
    expect([last.names, last.pagination.hasMore]).toEqual([['clerk'], false])
    const { status, body } = await troupe.owner.get(at.agents as string, { query: { search: 'cler', cursor } })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  })
})
