/** `troupe chart`: statecharts as text. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Troupe } from '@troupe/sdk'
import { say, script, sleep } from '@troupe/sdk/testing'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

test('every kind is drawn with all its states, each in a box, and listed with all its transitions', async () => {
  const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  for (const { kind } of (await troupe.machines.list()).items) {
    const { states, transitions } = await troupe.machines.get({ kind: kind as 'run' })
    const drawn = await home.run('chart', kind)
    const listed = await home.run('chart', kind, '--list')
    for (const state of states) {
      expect(drawn.stdout).toMatch(new RegExp(`│ +${state} +│`))
      expect(listed.stdout).toMatch(new RegExp(`^  ${state}$`, 'm'))
    }
    for (const { event, from } of transitions) if (from !== null) expect(listed.stdout).toContain(`    ${event}`)
  }
})

test('a resource is shown in its current state, and followed through its transitions', async () => {
  const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: script(sleep(60_000), say('Done.')) })
  const going = home.start(['chart', 'run', run.id, '--watch', '--list'])
  await going.says(/running/)
  await run.cancel()
  await going.says(/cancel {2}running → canceling|→ canceled/)
  going.process.kill('SIGINT')
  expect((await going.ended).code).toBe(130)
  const once = await home.run('chart', 'run', run.id)
  expect(once.stdout).toMatch(/│● +canceled +│/)
  expect(once.stdout).toContain(`${run.id}: canceled`)
})

test.each([
  [['chart', 'nothing'], 5, 'troupe chart lists them'],
  [['chart', 'run', 'run_01h455vb4pex5vsknk084sn02q'], 5, 'no such'],
  [['chart', 'run', 'run_01h455vb4pex5vsknk084sn02q', '--mermaid'], 2, '--mermaid'],
])('%p exits with %d', async (words, exit, said) => {
  const { code, stderr } = await home.run(...words)
  expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(said) })
})
