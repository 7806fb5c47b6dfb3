/** Upgrades a store whose Deployments did not record their credentials: they are found in the bundles. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '../../../storage/open.ts'
import { addressOf } from '../../support/stores/engine.ts'
import { placesOf } from '../../support/world/places.ts'
import { outcome } from '../../support/world/replies.ts'
import { openWorld } from '../../support/world/world.ts'

const before = [
  'drop table deployment_credentials',
  'alter table text_pieces rename column owner_id to run_id',
  'alter table loose_texts rename column owner_id to run_id',
  "delete from kysely_migration where name = '0113-credentials-of-deployments'",
]

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-upgraded-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('credentials of settings and Connections are held by an earlier active Deployment, others are not', async () => {
  const first = await openWorld({ folder })
  const places = placesOf(first)
  const place = await places.place()
  const [agent, unset] = [await places.agent(place), await places.agent(place)]
  const credentials = [await places.credential('openai'), await places.credential('openai')]
  const [ofSetting, ofConnection] = credentials.map(({ id }) => ({ providerCredentialId: id }))
  await places.setting(place, agent.agentId, { provider: 'openai', ...ofSetting })
  await places.connection(place, { ...ofConnection })
  await places.connection(place)
  await places.serve(place, [agent, unset])
  const unused = await places.credential('openai')
  await first.stop()

  const store = await openStore(addressOf(first.file))
  for (const statement of before) await sql.raw(statement).execute(store.db)
  await store.close()

  const second = await openWorld({ folder })
  for (const { path } of credentials) expect(outcome(await second.owner.delete(path))).toBe('409 credential_in_use')
  expect(outcome(await second.owner.delete(unused.path))).toBe(200)
  await second.stop()
})
