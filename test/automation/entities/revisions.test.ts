/** The statechart of a Definition revision, before any entity exists. Source: contract 3, "entity source"; contract 9. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { order } from './store-world.ts'
import { data } from './world.ts'

let troupe: Troupe
let project: string
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  project = `/api/v1/projects/${(await data(troupe.owner.post('/api/v1/projects', { slug: 'p', name: 'P' }))).id}`
})
afterAll(() => troupe?.stop())

async function revision(name: string, kind: string, source: object): Promise<string> {
  const path = `${project}/definitions`
  const { id } = await data(troupe.owner.post(path, { name, kind }))
  const { id: revisionId } = await data(troupe.owner.post(`${path}/${id}/revisions`, { source }))
  return `${path}/${id}/revisions/${revisionId}`
}

test('contains its states, and the transitions that Troupe adds to each', async () => {
  const { status, body } = await troupe.owner.get(`${await revision('order', 'entity', order)}/machine`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ kind: 'entity', title: 'Entity order', version: '1', xstate: { id: 'order' } })
  const moves = (body.data.transitions as Record<string, string>[]).map(
    ({ from, event, to }) => `${from} ${event} ${to}`,
  )
  // the source is stored in its canonical form
  expect(moves.sort()).toEqual([
    'canceled entity/delete entity/deleted',
    'canceled entity/update canceled',
    'null create open',
    'open cancel canceled',
    'open entity/delete entity/deleted',
    'open entity/update open',
    'open pay paid',
    'open touch open',
    'paid entity/delete entity/deleted',
    'paid entity/update paid',
    'paid ship shipped',
    'shipped entity/delete entity/deleted',
    'shipped entity/update shipped',
  ])
})

test('a new entity can be simulated by it, before any exists', async () => {
  const path = await revision('parcel', 'entity', order)
  const steps = [
    { event: { type: 'pay', expectedVersion: 9 } },
    { event: 'pay' },
    { event: 'ship' },
    { event: 'entity/delete' },
  ]
  const { status, body } = await troupe.owner.post(`${path}/simulate`, { steps })
  expect(status).toBe(200)
  const { kind, end } = body.data
  expect([kind, end.state, end.context]).toEqual(['entity', 'entity/deleted', { version: 4 }])
  expect(body.data.steps.map(({ accepted, to }: Record<string, unknown>) => [accepted, to])).toEqual([
    [true, 'open'],
    [false, 'open'],
    [true, 'paid'],
    [true, 'shipped'],
    [true, 'entity/deleted'],
  ])
})

test('for a Definition of another kind, or a missing revision, returns 404', async () => {
  const operations = await revision('tools', 'operations', {
    operations: [
      {
        name: 'say',
        description: 'Says.',
        inputSchema: { type: 'object' },
        effect: 'read',
        idempotent: true,
        approval: 'never',
        handler: { type: 'echo' },
      },
    ],
  })
  const missing = operations.replace(/dfr_\w+$/, 'dfr_01h455vb4pex5vsknk084sn02q')
  for (const path of [operations, missing]) {
    expect((await troupe.owner.get(`${path}/machine`)).status).toBe(404)
    expect((await troupe.owner.post(`${path}/simulate`, { steps: [] })).status).toBe(404)
  }
})
