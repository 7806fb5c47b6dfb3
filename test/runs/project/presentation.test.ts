import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const pathOf = ({ projectId, environmentId }: { projectId: string; environmentId: string }, agentId: string) =>
  `/api/v1/projects/${projectId}/environments/${environmentId}/agents/${agentId}/presentation`

test('is that of the revision in the active Deployment, whatever is published later', async () => {
  const place = await world.place()
  const presentation = { displayName: 'Clerk', greeting: 'Good day.', suggestedQueries: ['Where is my order?'] }
  const agent = await world.agent(place, { presentation })
  const deploymentId = await world.serve(place, [agent])
  const revisions = `/api/v1/projects/${place.projectId}/agents/${agent.agentId}/revisions`
  await world.owner.post(revisions, { content: { instructions: 'Help.', presentation: { displayName: 'Somebody' } } })
  const { status, body } = await world.owner.get(pathOf(place, agent.agentId))
  expect(status).toBe(200)
  expect(body.data).toEqual({
    agentId: agent.agentId,
    agentRevisionId: agent.agentRevisionId,
    deploymentId,
    ...presentation,
  })
})

test('defaults to the name of the Agent', async () => {
  const place = await world.place()
  const agent = await world.agent(place)
  await world.serve(place, [agent])
  const { body } = await world.owner.get(pathOf(place, agent.agentId))
  const named = await world.owner.get(`/api/v1/projects/${place.projectId}/agents/${agent.agentId}`)
  expect(body.data).toMatchObject({ displayName: named.body.data.name, greeting: null, suggestedQueries: [] })
})

test('is 409 before an activation, and for an Agent that is not deployed', async () => {
  const place = await world.place()
  const [deployed, other] = [await world.agent(place), await world.agent(place)]
  const before = await world.owner.get(pathOf(place, deployed.agentId))
  expect([before.status, before.body.error.code]).toEqual([409, 'no_active_deployment'])
  await world.serve(place, [deployed])
  const after = await world.owner.get(pathOf(place, other.agentId))
  expect([after.status, after.body.error.code]).toEqual([409, 'agent_not_deployed'])
})
