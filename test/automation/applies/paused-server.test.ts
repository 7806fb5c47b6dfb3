/**
 * A server that pauses within a step of an Apply, while another one does the step, and its looks at Applies that wait.
 * Source: contract 10, "Apply".
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { ApplyContext } from '../../../machines/apply.ts'
import { type ApplySeed, applyAddress } from '../../../src/automation/applies/actor.ts'
import { ApplyWork } from '../../../src/automation/applies/apply-work.ts'
import type { ApplyWorkParts } from '../../../src/automation/applies/services.ts'
import { ApiError, generationMismatch } from '../../../src/platform/http/answers/errors.ts'
import type { RequestRecord } from '../../../src/platform/http/changes/request-record.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import { planting, raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const place = { organizationId: 'org_1', projectId: 'prj_1', environmentId: 'env_1' }
const nothing = async () => {}

let store: Store
let actors: Actors
let one: ApplyWork
let other: ApplyWork
/** Deployments in the order of their activation, and those that were created. */
let activated: string[]
let created: string[]
let failed: string[]
/** What happens while the first server is paused before its next commit. */
let meanwhile: () => Promise<unknown>
beforeEach(async () => {
  store = await openMigrated()
  await store.commit(planting(place))
  activated = []
  created = []
  failed = []
  meanwhile = nothing
  const clock = new HandClock()
  actors = new Actors({ store, clock })
  const audit = { write: () => raw('update environments set updated_at = 0 where 0 = 1') }
  const caller = callerWith({ organizationId: 'org_1', permissions: new Set(permissions) })
  const onError = (_: unknown, what: string) => void failed.push(what)
  const parts = { store, clock, actors, audit, callerLater: async () => caller, onError } as unknown as ApplyWorkParts
  one = new ApplyWork(parts)
  other = new ApplyWork(parts)
  actors.register([one.kind])
  for (const { services } of [one, other])
    Object.assign(services, { activations: { activate }, deployments: { submit } })
})
afterEach(() => store?.close())

const pause = async () => {
  const work = meanwhile
  meanwhile = nothing
  await work()
}

const generation = async () =>
  (await store.first<{ generation: number }>({ sql: 'select generation from environments', parameters: [] }))
    ?.generation

/** Activates as the service does: only for the generation that the caller has seen. */
async function activate(
  _caller: unknown,
  _path: unknown,
  { deploymentId, expectedGeneration }: { deploymentId: string; expectedGeneration: number },
  record: RequestRecord = () => [],
) {
  await pause()
  if ((await generation()) !== expectedGeneration) throw generationMismatch(expectedGeneration + 1)
  const id = newId('act')
  await store.commit([raw('update environments set generation = generation + 1'), ...record({ data: { id } })])
  activated.push(deploymentId)
  return { id }
}

async function submit(_caller: unknown, _path: unknown, _body: unknown, record: RequestRecord) {
  await pause()
  const id = newId('dep')
  await store.commit(record({ data: { id } }))
  created.push(id)
  return { id }
}

/** A promotion in this state. */
async function newApply(state: 'deploying' | 'activating', at = place): Promise<string> {
  const id = newId('apl')
  const target = { releaseId: 'rel_1', configurationRevisionId: 'cfr_1', credentials: 'current', deploymentId: null }
  const seed: ApplySeed = {
    id,
    organization_id: at.organizationId,
    project_id: at.projectId,
    environment_id: at.environmentId,
    request: JSON.stringify({ environment: 'preview', prune: false, description: null, target }),
    plan: JSON.stringify({ changes: [] }),
    created_by_type: 'user',
    created_by_id: 'usr_1',
    manifest: null,
  }
  await actors.create(applyAddress(id), { input: { activate: true, serving: null }, seed, named: 'create' })
  const events = [
    { type: 'taken' },
    { type: 'written' },
    { type: 'released', releaseId: 'rel_1' },
    { type: 'configured', configurationRevisionId: 'cfr_1' },
    ...(state === 'activating' ? [{ type: 'deployed', deploymentId: 'dep_1' }] : []),
  ]
  for (const event of events) await actors.send(applyAddress(id), event)
  return id
}

async function readApply(id: string) {
  const actor = await actors.read<ApplyRow, ApplyContext>(applyAddress(id))
  return { state: actor?.state, failure: actor?.context.failure }
}

test('does not activate its Deployment over a later Activation', async () => {
  const id = await newApply('activating')
  meanwhile = async () => {
    await other.activate(id)
    await activate(null, null, { deploymentId: 'dep_of_a_user', expectedGeneration: 1 })
  }
  await one.activate(id)
  expect(activated).toEqual(['dep_1', 'dep_of_a_user'])
  expect(await readApply(id)).toEqual({ state: 'applied', failure: null })
})

test('does not activate twice, and does not fail the Apply that another server has activated', async () => {
  const id = await newApply('activating')
  // the other one has activated, and not reported it yet
  meanwhile = async () => {
    const { send } = actors
    actors.send = () => Promise.reject(new Error('The server was killed.'))
    await other.activate(id).catch(nothing)
    actors.send = send
  }
  await one.activate(id).catch(nothing)
  expect(await readApply(id)).toEqual({ state: 'activating', failure: null })
  // its effect is repeated
  await one.activate(id)
  expect(activated).toEqual(['dep_1'])
  expect(await readApply(id)).toEqual({ state: 'applied', failure: null })
})

test('creates no Deployment for an Apply that was canceled', async () => {
  const id = await newApply('deploying')
  meanwhile = () => actors.send(applyAddress(id), { type: 'cancel' })
  await one.deploy(id)
  expect(created).toEqual([])
  expect(await readApply(id)).toMatchObject({ state: 'canceled' })
})

test('does not fail when its step cannot be done any more, because the Apply was canceled', async () => {
  const id = await newApply('deploying')
  const busy = new ApiError(503, 'service_unavailable', 'Too many concurrent changes to this resource.')
  meanwhile = () => Promise.reject(busy)
  await expect(one.deploy(id)).rejects.toBe(busy)
  meanwhile = async () => {
    await actors.send(applyAddress(id), { type: 'cancel' })
    throw busy
  }
  await one.deploy(id)
  expect(await readApply(id)).toMatchObject({ state: 'canceled' })
})

test('looks at the Deployments of other Applies beside a damaged one', async () => {
  const elsewhere = { organizationId: 'org_2', projectId: 'prj_2', environmentId: 'env_2' }
  await store.commit(planting(elsewhere))
  const [damaged, id] = [await newApply('deploying'), await newApply('deploying', elsewhere)]
  await store.commit([
    raw(`update applies set deployment_id = 'dep_1', request = '{' where id = '${damaged}'`),
    raw(`update applies set deployment_id = 'dep_2' where id = '${id}'`),
  ])
  const { read } = actors
  actors.read = (address) =>
    address.kind === 'deployment' ? Promise.resolve(undefined) : (read.call(actors, address) as never)
  expect(await one.look(10)).toBe(2)
  expect(failed).toEqual([`the Apply ${damaged}`])
  expect(await readApply(id)).toMatchObject({ state: 'failed', failure: { code: 'not_found' } })
})

test('does not fail the Apply in a later state', async () => {
  const id = await newApply('deploying')
  meanwhile = async () => {
    await actors.send(applyAddress(id), { type: 'deployed', deploymentId: 'dep_1' })
    throw new ApiError(409, 'concurrent_change', 'The Environment has changed.')
  }
  await one.deploy(id)
  expect(await readApply(id)).toEqual({ state: 'activating', failure: null })
})
