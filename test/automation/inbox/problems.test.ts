/** Problems in the inbox: what has failed, and is to be mended. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { httpOperation, type Operations, openOperations, type Served } from '../operations/world.ts'

const day = 86_400_000
type Query = Record<string, string | number>

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations()
  served = await world.serving(
    [
      echoOperation('ask', { approval: 'always' }),
      httpOperation('send', { method: 'POST' }, { effect: 'write', idempotent: false }),
    ],
    { tools: [{ kind: 'interactive', name: 'ask_user', description: 'Asks.', inputSchema: { type: 'object' } }] },
  )
})
afterAll(() => world?.stop())

const inbox = (query: Query = {}, client: Client = world.owner) => client.get('/api/v1/inbox', { query })
const shown = async (query: Query = {}, client?: Client) => {
  const { counts, items, total } = await data<{
    counts: { kind: string; count: number }[]
    items: { kind: string; id: string; [field: string]: unknown }[]
    total: number
  }>(inbox(query, client))
  return { items, total, counts: Object.fromEntries(counts.map(({ kind, count }) => [kind, count])) }
}
const idsOf = async (kind: string, query: Query = {}, client?: Client) =>
  (await shown({ kind, limit: 100, ...query }, client)).items.map(({ id }) => id)

describe('problems', () => {
  /** Writes what the server would write. */
  const set = (sql: string, ...values: (string | number | null)[]) => world.rows(sql, ...values)
  const now = () => Date.now()

  test('a webhook: disabled, failing for a while, with dead letters', async () => {
    const { id } = await data(
      world.owner.post(`${served.place.path}/webhooks`, {
        endpointUrl: 'http://127.0.0.1:9/hook',
        eventTypes: ['run.completed'],
      }),
    )
    const item = async () => (await shown({ kind: 'webhook' })).items[0]
    set('update webhooks set failing_since = ? where id = ?', now(), id)
    expect(await item()).toBeUndefined()
    set('update webhooks set failing_since = ? where id = ?', now() - 120_000, id)
    expect(await item()).toMatchObject({ id, reason: 'failing', title: '127.0.0.1:9', deadLetters: 0 })
    await world.run(served.place, served.agent.agentId, '/say Hello')
    const attempted = "select id from deliveries where webhook_id = ? and state = 'retrying'"
    await eventually('a failed attempt', () => set(attempted, id).length > 0)
    set("update deliveries set state = 'dead-letter', due_at = null where webhook_id = ?", id)
    expect(await item()).toMatchObject({ id, reason: 'failing', deadLetters: 1 })
    set('update webhooks set failing_since = null where id = ?', id)
    expect(await item()).toMatchObject({ id, reason: 'dead_letters', deadLetters: 1 })
    set("update webhooks set enabled = 0, disabled_reason = 'endpoint_gone' where id = ?", id)
    expect(await item()).toMatchObject({ id, reason: 'disabled', deadLetters: 1 })
    await data(world.owner.delete(`${served.place.path}/webhooks/${id}`))
    expect(await item()).toBeUndefined()
  })

  test('a webhook with dead letters beside hundreds without any', async () => {
    const place = await world.place()
    const agent = await world.agent(place)
    await world.serve(place, [agent])
    const { id } = await data(
      world.owner.post(`${place.path}/webhooks`, {
        endpointUrl: 'http://127.0.0.1:9/hook',
        eventTypes: ['run.completed'],
      }),
    )
    const [webhook] = set('select * from webhooks where id = ?', id) as [Record<string, string | number | null>]
    const ids = Array.from({ length: 205 }, () => newId('whk'))
    for (const each of ids) {
      const copy = { ...webhook, id: each }
      const names = Object.keys(copy)
      set(`insert into webhooks (${names}) values (${names.map(() => '?')})`, ...Object.values(copy))
    }
    await world.run(place, agent.agentId, '/say Hello')
    const attempted = "select id from deliveries where webhook_id = ? and state = 'retrying'"
    await eventually('a failed attempt', () => set(attempted, id).length > 0)
    const last = ids.at(-1) as string
    set("update deliveries set state = 'dead-letter', due_at = null, webhook_id = ? where webhook_id = ?", last, id)
    set('update webhooks set failing_since = null where environment_id = ?', place.environmentId)
    expect((await shown({ kind: 'webhook' })).items).toMatchObject([
      { id: last, reason: 'dead_letters', deadLetters: 1 },
    ])
    set('delete from deliveries where webhook_id = ?', last)
  })

  test('the latest Deployment of an Environment, if it failed', async () => {
    const place = await world.place()
    const agent = await world.agent(place)
    const first = await world.serve(place, [agent])
    const [{ release_id }] = set('select release_id from deployments where id = ?', first) as [{ release_id: string }]
    const failing = newId('dep')
    const [row] = set('select * from deployments where id = ?', first) as [Record<string, string | number | null>]
    const failure = { code: 'credential_expired', message: 'A credential has expired.' }
    const copy = { ...row, id: failing, state: 'failed', context: JSON.stringify({ failure }) }
    const names = Object.keys(copy)
    set(`insert into deployments (${names}) values (${names.map(() => '?')})`, ...Object.values(copy))
    const { items } = await shown({ kind: 'deployment' })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      id: failing,
      message: 'A credential has expired.',
      releaseId: release_id,
      environment: { id: place.environmentId },
    })
    await world.serve(place, [agent])
    expect(await idsOf('deployment')).toEqual([])
  })

  test('a Connection that the server disabled', async () => {
    const { id, name } = await world.connection(
      served.place,
      served.agent.agentId,
      {},
      { agentId: null, bindingKey: null },
    )
    set("update connections set status = 'disabled', status_reason = 'The consent was withdrawn.' where id = ?", id)
    expect((await shown({ kind: 'connection' })).items).toMatchObject([
      { id, title: name, message: 'The consent was withdrawn.', environment: { id: served.place.environmentId } },
    ])
    set('update connections set status_reason = null where id = ?', id)
    expect(await idsOf('connection')).toEqual([])
  })

  test('credentials and keys that are expired or expire within a week', async () => {
    const credentials = `/api/v1/organizations/${world.ours}/provider-credentials`
    const { id } = await data(
      world.owner.post(credentials, { label: 'Ours', provider: 'openai', credentialType: 'api_key', secret: 'sk-x' }),
    )
    const ends = (at: number) => set('update provider_credentials set expires_at = ? where id = ?', at, id)
    ends(now() + 8 * day)
    expect(await idsOf('credential')).toEqual([])
    ends(now() + 6 * day)
    expect((await shown({ kind: 'credential' })).items).toMatchObject([{ id, reason: 'expiring', title: 'Ours' }])
    ends(now() - 30 * day)
    expect((await shown({ kind: 'credential' })).items).toMatchObject([{ id, reason: 'expired' }])
    ends(now() + 100 * day)

    const key = async (days: number, life = 90) =>
      world.tenancy.key(world.ours, world.ownerId, ['agents:list'], {
        created_at: now() - (life - days) * day,
        expires_at: now() + days * day,
      }).id
    const [soon, gone] = [await key(6), await key(-6)]
    await key(8)
    await key(-8)
    // valid for an hour
    await key(0.01, 0.04)
    expect((await shown({ kind: 'apiKey' })).items).toMatchObject([
      { id: soon, reason: 'expiring' },
      { id: gone, reason: 'expired' },
    ])
  })

  test('a budget that is nearly used up', async () => {
    const { period, minutes } = await data<{ period: { start: string }; minutes: { budget: number } }>(
      world.owner.get(`/api/v1/organizations/${world.ours}/billing/usage`),
    ).catch(() => data<never>(world.owner.get('/api/billing/usage')))
    const use = (share: number) =>
      set(
        'update usage_counters set used_ms = ? where organization_id = ? and period_start = ?',
        Math.round(minutes.budget * 60_000 * share),
        world.ours,
        Date.parse(period.start),
      )
    use(0.79)
    expect(await idsOf('budget')).toEqual([])
    use(0.8)
    expect((await shown({ kind: 'budget' })).items).toMatchObject([
      { id: world.ours, reason: 'budget_used', percent: 80 },
    ])
    use(1)
    expect((await shown({ kind: 'budget' })).items).toMatchObject([{ reason: 'budget_exhausted', percent: 100 }])
    use(0)
  })
})
