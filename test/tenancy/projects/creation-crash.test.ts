import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endAll, Site } from '../../support/process.ts'

let site: Site
beforeAll(async () => {
  site = await Site.create({ TROUPE_RUNNER: 'none' })
})
afterAll(async () => {
  await endAll()
  await site?.remove()
})

test('a server that is killed while it creates Projects leaves only complete ones, and all acknowledged ones', async () => {
  const server = await site.start()
  const { client } = server
  await client.get('/api/v1/projects')

  const answered: string[] = []
  const creations = Array.from({ length: 60 }, async (_, index) => {
    const { status, body } = await client.post('/api/v1/projects', { slug: `project-${index}`, name: 'Project' })
    if (status === 201) answered.push(body.data.id)
  })
  await Promise.any(creations)
  await server.end('SIGKILL')
  await Promise.allSettled(creations)

  const database = new Database(site.storePath)
  const ids = (sql: string) =>
    database
      .query<{ id: string }, []>(sql)
      .all()
      .map(({ id }) => id)
  const projects = ids('select id from projects')
  const environments = ids('select id from environments')
  expect(projects).toEqual(expect.arrayContaining(answered))
  expect(answered.length).toBeGreaterThan(0)
  const threefold = (sql: string) =>
    database
      .query<{ n: number }, []>(sql)
      .all()
      .every(({ n }) => n === 3)
  expect(threefold('select count(distinct kind) as n from environments group by project_id')).toBe(true)
  expect(environments.length).toBe(3 * projects.length)
  const journals = ids("select actor_id as id from transitions where kind = 'environment'")
  expect(journals.sort()).toEqual(environments.sort())
  const heads = ids(
    `select environments.id from environments join configuration_revisions as head
     on head.id = environments.head_revision_id and head.environment_id = environments.id and head.number = 0`,
  )
  expect(heads.sort()).toEqual(environments)
  const audited = ids("select resource_id as id from audit_events where operation = 'createProject'")
  expect(audited.sort()).toEqual(projects.sort())
  database.close()
})
