/** Keys that are bound to a Project, or to a part of one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openWorld, path, type World } from './world.ts'

let world: World
let troupe: World['troupe']
let tenancy: World['tenancy']
let organizationId: string
let create: World['create']
/** In our organization, and in another one. */
let ours: Record<'project' | 'environment' | 'agent' | 'otherProject', string>
let foreign: Record<'project' | 'environment' | 'agent', string>
beforeAll(async () => {
  world = await openWorld(new HandClock())
  ;({ troupe, tenancy, organizationId, create } = world)
  const tree = (organization: string) => {
    const project = tenancy.project(organization)
    return {
      project,
      environment: tenancy.environment(organization, project),
      agent: tenancy.agent(organization, project),
    }
  }
  ours = { ...tree(organizationId), otherProject: tenancy.project(organizationId) }
  foreign = tree(tenancy.organization())
})
afterAll(() => world?.stop())

describe('the scope of a key', () => {
  test('can be a Project, an Environment or an Agent of it, or both', async () => {
    const { project: projectId, environment: environmentId, agent: agentId } = ours
    for (const scope of [
      { projectId, environmentId: null, agentId: null },
      { projectId, environmentId, agentId: null },
      { projectId, environmentId: null, agentId },
      { projectId, environmentId, agentId },
    ]) {
      const given = Object.fromEntries(Object.entries(scope).filter(([, id]) => id !== null))
      const { status, body } = await create(given)
      expect(status).toBe(201)
      expect(body.data).toMatchObject(scope)
    }
  })

  const rows: { what: string; scope: () => object }[] = [
    { what: 'an unknown Project', scope: () => ({ projectId: newId('prj') }) },
    { what: 'a foreign Project', scope: () => ({ projectId: foreign.project }) },
    {
      what: 'a foreign Project with its Environment',
      scope: () => ({ projectId: foreign.project, environmentId: foreign.environment }),
    },
    {
      what: 'an unknown Environment',
      scope: () => ({ projectId: ours.project, environmentId: newId('env') }),
    },
    {
      what: 'a foreign Environment',
      scope: () => ({ projectId: ours.project, environmentId: foreign.environment }),
    },
    {
      what: "another Project's Environment",
      scope: () => ({ projectId: ours.otherProject, environmentId: ours.environment }),
    },
    { what: 'an unknown Agent', scope: () => ({ projectId: ours.project, agentId: newId('agt') }) },
    { what: 'a foreign Agent', scope: () => ({ projectId: ours.project, agentId: foreign.agent }) },
    { what: "another Project's Agent", scope: () => ({ projectId: ours.otherProject, agentId: ours.agent }) },
    {
      what: "an Environment of the Project and another one's Agent",
      scope: () => ({ projectId: ours.project, environmentId: ours.environment, agentId: foreign.agent }),
    },
  ]
  test.each(rows)('$what: 404, as for an unknown one', async ({ what, scope }) => {
    const { status, body } = await create(scope())
    const part = /Project$|with its/.test(what) ? 'Project' : /Environment$/.test(what) ? 'Environment' : 'Agent'
    const message = `There is no such ${part}${part === 'Project' ? '' : ' in this Project'}, or the credential does not reach it.`
    expect({ status, code: body.error.code, message: body.error.message }).toEqual({
      status: 404,
      code: 'not_found',
      message,
    })
    expect(body.error.details.issues).toEqual([{ path: `/body/${part.toLowerCase()}Id`, message }])
  })

  test.each([
    { what: 'a Project', sql: "update projects set status = 'deleting' where id = ?" },
    { what: 'an Environment', sql: "update environments set state = 'deleting' where project_id = ?" },
    { what: 'an Agent', sql: "update agents set status = 'deleting' where project_id = ?" },
  ])('$what that is being deleted: 409', async ({ sql }) => {
    const projectId = tenancy.project(organizationId)
    const environmentId = tenancy.environment(organizationId, projectId)
    const agentId = tenancy.agent(organizationId, projectId)
    tenancy.run(sql, projectId)
    const { status, body } = await create({ projectId, environmentId, agentId })
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'deletion_in_progress' })
  })

  test('stays when its resource is removed: the key gets no more access', async () => {
    const projectId = tenancy.project(organizationId)
    const { body } = await create({ operations: ['*'], projectId })
    tenancy.run('delete from projects where id = ?', projectId)
    const client = troupe.as(body.data.secret)
    expect((await client.get(path)).status).toBe(403)
    expect((await client.get('/api/v1/agent-runs')).body.agentRuns).toEqual([])
    expect((await troupe.owner.get(`${path}/${body.data.id}`)).body.data.projectId).toBe(projectId)
  })
})
