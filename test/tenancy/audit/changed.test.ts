/** Contract 0, "Refusals": the audit log names the changed fields, for every resource. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, ours, type World } from '../organizations/world.ts'

let world: World
const places: Record<string, string> = {}

const make = async (name: string, path: string, body: object) => {
  const { status, body: answer } = await world.owner.post(path, body)
  if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(answer)}`)
  places[name] = `${path}/${answer.data.settingId ?? answer.data.id ?? answer.data.apiKey?.id}`
  return answer.data
}

beforeAll(async () => {
  world = await openWorld()
  const project = await make('project', '/api/v1/projects', { slug: 'audited', name: 'Audited' })
  const within = `/api/v1/projects/${project.id}`
  const { body } = await world.owner.get(`${within}/environments`)
  const environment = `${within}/environments/${body.data.items[0].id}`
  places.environment = environment
  await make('user group', `${ours}/user-groups`, { name: 'Group' })
  await make('API key', '/api/v1/api-keys', { name: 'Key', operations: ['organizations:get'] })
  await make('organization variable', `${ours}/variables`, { name: 'PLACE', value: 'here' })
  await make('credential', `${ours}/provider-credentials`, {
    label: 'Key',
    provider: 'openai',
    credentialType: 'api_key',
    secret: 'sk-1',
  })
  await make('agent', `${within}/agents`, { slug: 'writer', name: 'Writer' })
  await make('variable', `${environment}/variables`, { name: 'PLACE', value: 'here' })
  await make('webhook', `${environment}/webhooks`, {
    endpointUrl: 'https://example.com/in',
    eventTypes: ['run.completed'],
  })
  const member = world.person('member', world.organizationId)
  places.member = `${ours}/members/${member.id}`
  places.organization = ours
})
afterAll(() => world?.close())

const newest = async () => (await world.owner.get(`${ours}/audit-events`, { query: { limit: 1 } })).body.data.items[0]

/** The change of a resource, and the fields that it changes. */
const changes: [string, object, string[]][] = [
  ['organization', { name: 'Other', slug: 'default' }, ['name']],
  ['project', { name: 'Other', slug: 'audited', status: 'active' }, ['name']],
  ['user group', { name: 'Other' }, ['name']],
  ['member', { role: 'admin' }, ['role']],
  ['API key', { name: 'Other' }, ['name']],
  ['organization variable', { description: 'Where', status: 'active' }, ['description']],
  ['credential', { label: 'Other', status: 'active' }, ['label']],
  ['agent', { name: 'Other', description: null }, ['name']],
  ['variable', { description: 'Where', status: 'active' }, ['description']],
  ['webhook', { eventTypes: ['run.failed'], enabled: true, endpointUrl: 'https://example.com/in' }, ['eventTypes']],
]
describe.each(changes)('%s', (name, body, changed) => {
  test('names the fields with new values', async () => {
    world.clock.advance(1)
    const { status } = await world.owner.patch(places[name]!, body)
    expect(status).toBe(200)
    expect(await newest()).toMatchObject({ outcome: 'allowed', changed })
  })

  test('names no field when the same change is repeated', async () => {
    world.clock.advance(1)
    const { status, requestId } = await world.owner.patch(places[name]!, body)
    expect(status).toBe(200)
    expect(await newest()).toMatchObject({ requestId, outcome: 'allowed', changed: [] })
  })
})

test('a new value that is never shown is a change, and its value is not in the log', async () => {
  world.clock.advance(1)
  await world.owner.patch(places['organization variable']!, { value: 'elsewhere' })
  const line = await newest()
  expect(line.changed).toEqual(['value'])
  expect(JSON.stringify(line)).not.toContain('elsewhere')
})

test('a move of an Environment names its lifecycle, and not the expected one', async () => {
  const { body } = await world.owner.get(places.environment!)
  world.clock.advance(1)
  const moved = await world.owner.patch(places.environment!, {
    lifecycle: 'active',
    expectedLifecycle: body.data.lifecycle,
  })
  expect(moved.status).toBe(200)
  expect(await newest()).toMatchObject({ operation: 'updateEnvironment', changed: ['lifecycle'] })
})
