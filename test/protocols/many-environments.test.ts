/** Agents of an organization with more Environments than a list has. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../storage/ids.ts'
import type { EnvironmentRow } from '../../storage/tables.ts'
import { openWorld, type World } from './world.ts'

let world: World
let key: string
beforeAll(async () => {
  world = await openWorld()
  key = await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId: world.home.projectId })
  // their slugs come before that of the Agent's Project
  const [environment] = world.rows<EnvironmentRow>(
    'select * from environments where id = ?',
    world.home.environmentId,
  ) as [EnvironmentRow]
  for (let count = 0; count < 300; count += 1) {
    const project_id = world.tenancy.project(world.ours)
    world.rows('update projects set slug = ? where id = ? returning id', `0-${count}`, project_id)
    world.tenancy.insert('environments', { ...environment, id: newId('env'), project_id })
  }
})
afterAll(() => world?.stop())

const get = async (by: string) => {
  const answer = await fetch(`${world.url}/openai/v1/models`, { headers: { authorization: `Bearer ${by}` } })
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}
async function call(by: string, name: string): Promise<string> {
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { query: '/say Here' } },
    }),
  })
  return answer.text()
}

test('a key of one Project lists its Agents', async () => {
  expect(await get(world.key)).not.toContain(world.address)
  expect(await get(key)).toEqual([world.address])
})

test('a tool is called by its name, also if the list does not reach it', async () => {
  const name = world.address.replaceAll('/', '_')
  for (const by of [key, world.key]) expect(await call(by, name)).toContain('"output":"Here"')
  expect(await call(key, 'agt_system_assistant')).toContain('Unknown tool')
})

test('Environments without an active Deployment take no places in the list', async () => {
  world.rows(
    'update environments set active_deployment_id = null where project_id <> ? returning id',
    world.home.projectId,
  )
  expect(await get(world.key)).toContain(world.address)
})

test('an Agent of a Project that is being deleted is neither listed nor called', async () => {
  const { projectId } = world.home
  const setStatus = (status: string) =>
    world.rows('update projects set status = ? where id = ? returning id', status, projectId)
  setStatus('deleting')
  try {
    expect(await get(key)).toEqual([])
    const answer = await fetch(`${world.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: world.address, messages: [{ role: 'user', content: '/say Here' }] }),
    })
    expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'model_not_found'])
  } finally {
    setStatus('active')
  }
})
