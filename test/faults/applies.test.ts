/** The server is killed while it applies a manifest, in each of the states. Source: contract 10, "Apply". */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endAll, eventually, type Server, Site, within } from '../support/process.ts'
import { dataOf, type Loose } from '../support/world/replies.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

/** Enough resources that each state lasts a while. */
const agentsMax = 40
const manifestOf = (says: string) => ({
  version: 1,
  project: { slug: 'shop', name: 'Shop' },
  agents: Object.fromEntries(
    Array.from({ length: agentsMax }, (_, number) => [
      `agent-${number}`,
      { content: { instructions: `${says} ${'Be kind. '.repeat(500)}` } },
    ]),
  ),
  environments: { development: { variables: { TOKEN: { value: `hunter2-${says}` } } } },
})

const begin = async ({ client }: Server, says: string): Promise<Loose> =>
  dataOf(await client.post('/api/v1/applies', { manifest: manifestOf(says), environment: 'development' }))

const ended = ({ client }: Server, id: string): Promise<Loose> =>
  eventually('the end of the Apply', async () => {
    const apply = dataOf(await client.get(`/api/v1/applies/${id}`))
    return apply.endedAt !== null && apply
  })

/**
 * Kills the server while the Apply is in this state; this process holds the store's lock, so the observed state is the
 * final one.
 */
async function killIn(state: string, site: Site, server: Server, id: string): Promise<boolean> {
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  const stateNow = () =>
    database.query<{ state: string }, [string]>('select state from applies where id = ?').get(id)?.state
  try {
    return await within(
      (async () => {
        for (;;) {
          database.run('begin immediate')
          const now = stateNow()
          if (now === state) await server.end('SIGKILL')
          database.run('rollback')
          if (now === state) return true
          if (now === 'applied') return false
          await Bun.sleep(Math.random())
        }
      })(),
      `an Apply that is ${state}`,
      server.output,
    )
  } finally {
    database.close()
  }
}

const count = (site: Site, sql: string): number => {
  const database = new Database(site.storePath, { readonly: true })
  try {
    return database.query<{ n: number }, []>(sql).get()!.n
  } finally {
    database.close()
  }
}

/** With the first manifest applied. */
let prepared: Site
beforeAll(async () => {
  prepared = await Site.create({ TROUPE_RUNNER: 'none' })
  sites.push(prepared)
  const server = await prepared.start()
  expect((await ended(server, (await begin(server, 'First.')).id)).state).toBe('applied')
  expect(await server.end('SIGTERM')).toBe(0)
})

test.each(['writing', 'releasing', 'configuring', 'deploying', 'activating'])(
  'killed while it is %s: the next server completes it, and creates nothing twice',
  async (state) => {
    const site = await prepared.copy()
    sites.push(site)
    let server = await site.start()
    // a short state may be over before it is observed; the next manifest then gives another chance
    for (let tries = 1; ; tries += 1) {
      const { id } = await begin(server, `Try ${tries}.`)
      if (!(await killIn(state, site, server, id))) continue
      server = await site.start()
      const apply = await ended(server, id)
      expect([apply.state, apply.stateReason]).toEqual(['applied', null])
      const { items } = dataOf(await server.client.get(`/api/v1/applies/${id}/transitions`))
      const states = ['planned', 'writing', 'releasing', 'configuring', 'deploying', 'activating', 'applied']
      expect(items.map(({ to }: Loose) => to)).toEqual(states)
      const environment = `/api/v1/projects/${apply.projectId}/environments/${apply.environmentId}`
      expect(dataOf(await server.client.get(environment)).activeDeploymentId).toBe(apply.deploymentId)

      expect(count(site, 'select count(*) as n from releases')).toBe(tries + 1)
      expect(count(site, 'select count(*) as n from deployments')).toBe(tries + 1)
      expect(count(site, 'select count(*) as n from activations')).toBe(tries + 1)
      expect(count(site, 'select count(*) as n from agent_revisions')).toBe((tries + 1) * agentsMax)
      expect(count(site, 'select count(*) as n from apply_manifests')).toBe(0)
      const plan = dataOf(
        await server.client.post('/api/v1/applies/plan', {
          manifest: manifestOf(`Try ${tries}.`),
          environment: 'development',
        }),
      )
      expect(plan.changes.filter(({ action }: Loose) => action !== 'unchanged')).toEqual([])
      return
    }
  },
)
