/** Killed between commit and response: the repeated call returns what the first one would have. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import { bundleOf, type Entities, freshKey, openEntities, order } from './store-world.ts'

let folder: string
let path: string
let entities: Entities
let bundle: DeployedBundle
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-entities-'))
  path = join(folder, 'troupe.db')
  entities = await openEntities({ address: `sqlite:${path}` })
  bundle = bundleOf(await entities.plant(), { order })
})
afterAll(async () => {
  await entities?.close()
  await rm(folder, { recursive: true })
})

test.each([
  ['create', 1, 'open'],
  ['transition', 2, 'paid'],
  ['delete', 2, 'open'],
] as const)('%s', async (action, version, state) => {
  const id = action === 'create' ? '' : (await entities.perform({ bundle }, 'create', { data: { total: 1 } })).id
  const inputs = { create: { data: { total: 3 } }, transition: { id, event: 'pay' }, delete: { id } }
  const call = { action, input: inputs[action], callKey: freshKey() }
  // a store accepts one process
  await entities.close()
  const killed = Bun.spawn(
    [
      process.execPath,
      resolve(import.meta.dir, 'killed.ts'),
      path,
      JSON.stringify(bundle.bundle),
      JSON.stringify(call),
    ],
    { stdout: 'ignore', stderr: 'inherit' },
  )
  await killed.exited
  expect(killed.signalCode).toBe('SIGKILL')

  entities = await openEntities({ address: `sqlite:${path}` })
  const answer = await entities.perform({ bundle }, call.action, call.input, call.callKey)
  expect(answer).toMatchObject({ version, state })
  expect(await entities.rows('select entity_version from entities where id = ?', answer.id)).toEqual([
    { entity_version: version },
  ])
})
