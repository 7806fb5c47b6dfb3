/** A removal takes versions, Releases and Activations one by one, however many there are: none is left to a cascade. */
import type { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nextRows, removeTarget } from '../../../storage/runtime/removal.ts'
import type { Store } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { insert, openFile } from './rows.ts'

const organization = 'org_01h455vb4pex5vsknk084sn02q'
const project = 'prj_01h455vb4pex5vsknk084sn02q'
const environment = 'env_01h455vb4pex5vsknk084sn02q'
const agent = 'agt_01h455vb4pex5vsknk084sn02q'
const versionsOfEach = 7

let folder: string
let store: Store
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-versions-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  database = openFile(join(folder, 'troupe.db'))
})
afterEach(() => {
  for (const table of ['organizations', 'projects']) database.run(`delete from ${table}`)
})
afterAll(async () => {
  database?.close()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const times = { created_at: 1, updated_at: 1 }
const byUser = { created_by_type: 'user', created_by_id: 'usr_1', created_at: 1 }
const sealed = { sealed: 'sealed', created_at: 1 }
const traced = { ...sealed, digest: 'hmac', length: 1 }

/** The parents of everything below. */
function plantPlaces() {
  const status = 'deleting'
  insert(database, 'organizations', { id: organization, slug: 'o', name: 'O', kind: 'team', status, ...times })
  const ofOrganization = { organization_id: organization, ...times }
  insert(database, 'projects', { id: project, slug: 'p', name: 'P', status, ...ofOrganization })
  const actor = { state: 'deleting', version: 1, machine_version: '1', context: '{}' }
  const head = { generation: 0, head_revision_id: 'cfr_1', head_number: 0 }
  const named = { id: environment, project_id: project, kind: 'preview', name: 'Preview' }
  insert(database, 'environments', { ...named, ...actor, ...head, ...ofOrganization })
  insert(database, 'agents', { id: agent, project_id: project, slug: 'a', name: 'A', status, ...ofOrganization })
}

type Plant = (number: number) => void
const inEnvironment = { organization_id: organization, environment_id: environment }
const bound = { agent_id: agent, binding_key: 'shop' }

/** What goes with each target, by the tables that have the rows. */
const plants: Record<string, { parent?: () => void; child: Plant }> = {
  definition_revisions: {
    parent: () =>
      insert(database, 'definitions', {
        id: 'def_1',
        organization_id: organization,
        project_id: project,
        name: 'orders',
        kind: 'operations',
        status: 'active',
        ...times,
      }),
    child: (number) =>
      insert(database, 'definition_revisions', {
        id: `dfr_${number}`,
        organization_id: organization,
        definition_id: 'def_1',
        number,
        source: '{}',
        source_digest: 'sha256',
        ...byUser,
      }),
  },
  variable_versions: {
    parent: () =>
      insert(database, 'variables', {
        id: 'var_1',
        ...inEnvironment,
        ...bound,
        name: 'TOKEN',
        status: 'active',
        version: versionsOfEach,
        ...times,
      }),
    child: (version) => insert(database, 'variable_versions', { variable_id: 'var_1', version, ...traced }),
  },
  connection_versions: {
    parent: () =>
      insert(database, 'connections', {
        id: 'con_1',
        ...inEnvironment,
        ...bound,
        name: 'Shop',
        kind: 'http',
        status: 'active',
        current_version_id: `cnv_${versionsOfEach}`,
        ...times,
      }),
    child: (number) =>
      insert(database, 'connection_versions', {
        id: `cnv_${number}`,
        organization_id: organization,
        connection_id: 'con_1',
        number,
        settings: '{}',
        created_at: 1,
      }),
  },
  releases: {
    child: (number) =>
      insert(database, 'releases', {
        id: `rel_${number}`,
        organization_id: organization,
        project_id: project,
        number,
        agents: '[]',
        definitions: '[]',
        delegate_attachments: '[]',
        digest: 'sha256',
        ...byUser,
      }),
  },
  activations: {
    child: (generation) =>
      insert(database, 'activations', {
        id: `act_${generation}`,
        ...inEnvironment,
        deployment_id: 'dep_1',
        generation,
        ...byUser,
      }),
  },
  organization_variable_versions: {
    parent: () =>
      insert(database, 'organization_variables', {
        id: 'var_2',
        organization_id: organization,
        name: 'TOKEN',
        status: 'active',
        version: versionsOfEach,
        ...times,
      }),
    child: (version) =>
      insert(database, 'organization_variable_versions', { variable_id: 'var_2', version, ...traced }),
  },
  provider_credential_versions: {
    parent: () =>
      insert(database, 'provider_credentials', {
        id: 'crd_1',
        organization_id: organization,
        label: 'Key',
        provider: 'custom',
        credential_type: 'api_key',
        status: 'active',
        current_version: versionsOfEach,
        ...times,
      }),
    child: (version) =>
      insert(database, 'provider_credential_versions', { credential_id: 'crd_1', version, ...sealed }),
  },
}

const rows = [
  { target: 'organization', id: organization, tables: Object.keys(plants) },
  {
    target: 'project',
    id: project,
    tables: ['definition_revisions', 'variable_versions', 'connection_versions', 'releases', 'activations'],
  },
] as const

test.each(rows.flatMap(({ tables, ...doomed }) => tables.map((table) => ({ ...doomed, table }))))(
  'with an $target: $table',
  async ({ target, id, table }) => {
    plantPlaces()
    const { parent, child } = plants[table]!
    parent?.()
    for (let number = 1; number <= versionsOfEach; number += 1) child(number)
    const left = () => database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n
    const counts = [left()]
    for (;;) {
      const found = await nextRows(store, { target, id, organizationId: organization })
      if (found.length === 0) break
      for (const { writes } of found) {
        await store.commit(writes)
        if (left() !== counts.at(-1)) counts.push(left())
      }
    }
    expect(counts).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
  },
)

test.each(['variable', 'connection'])(
  'a %s that is bound to an Agent leaves its versions to the background',
  async (kind) => {
    plantPlaces()
    const table = `${kind}_versions`
    const { parent, child } = plants[table]!
    parent?.()
    for (let number = 1; number <= versionsOfEach; number += 1) child(number)
    const doomed = { target: 'agent', id: agent, organizationId: organization } as const
    const units = []
    for (let found = await nextRows(store, doomed); found.length > 0; found = await nextRows(store, doomed)) {
      for (const { writes } of found) units.push(store.commit(writes))
      await Promise.all(units)
    }
    await store.commit(removeTarget(store, doomed))
    const left = (from: string, columns: string) => database.query<object, []>(`select ${columns} from ${from}`).all()
    expect([left('agents', 'id'), left(`${kind}s`, 'status, agent_id')]).toEqual([
      [],
      [{ status: 'deleting', agent_id: null }],
    ])
    expect(units).toHaveLength(1)
    expect(database.query(`select 1 from ${table}`).all()).toHaveLength(versionsOfEach)
  },
)
