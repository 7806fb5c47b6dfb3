/** The snippets that the playground copies, for a terminal or a program, work. Source: contract 12. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { clients, type SnippetInput, snippetOf } from '../../src/console/pages/runs/playground/copy-as/snippets.ts'
import { eventually } from '../support/process.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

/** Texts with a special meaning in a shell, a string or JSON. */
const hostile = `It's "quoted", $HOME \`id\` \\n \${x}\nand more`

function showing(query: string): SnippetInput {
  const { agentId } = world.agent
  const { environmentId } = world.home
  return { baseUrl: world.url, address: world.address, body: { agentId, environmentId, query, reasoningBudget: 'low' } }
}

test.each([...clients])('%s starts the shown run', async (client) => {
  const before = world.runs()
  const text = snippetOf(client, showing(`/say ${hostile}`))
  const command = client === 'curl' ? ['sh', '-c', text] : [process.execPath, '-e', text]
  const program = Bun.spawn(command, {
    cwd: import.meta.dir,
    env: { ...process.env, TROUPE_KEY: world.key, HOME: '/nowhere' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, failed, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ])
  expect({ code, failed }).toMatchObject({ code: 0, failed: '' })
  expect(world.runs()).toBe(before + 1)
  const { body } = await world.owner.get('/api/v1/agent-runs', { query: { limit: 1 } })
  const [{ id, agentId, environmentId }] = body.agentRuns
  expect({ agentId, environmentId }).toEqual({
    agentId: world.agent.agentId,
    environmentId: world.home.environmentId,
  })
  const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', id)
  expect(JSON.parse(stored!.body)).toMatchObject({ query: `/say ${hostile}` })
  if (client === 'curl') expect(JSON.parse(said).data.id).toBe(id)
  else expect(said).toContain(`It's "quoted", $HOME`)
  await eventually(
    'the end',
    async () => (await world.owner.get(`/api/v1/agent-runs/${id}`)).body.data.endedAt !== null,
  )
})

test('without a message there is an example question', () => {
  const { body, ...others } = showing('')
  const { query: _, ...empty } = body
  for (const client of clients) expect(snippetOf(client, { ...others, body: empty })).toContain('How can you help?')
})
