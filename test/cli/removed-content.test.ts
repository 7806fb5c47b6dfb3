/** What the command line says of a run whose content was removed at the end of its retention. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Troupe } from '@troupe/sdk'
import { systemClock } from '../../src/platform/time/clock.ts'
import { eventually } from '../support/process.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
let laterMs = 0

beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs, after: systemClock.after }
  server = await openTroupe({ clock, environment: { TROUPE_SWEEP_INTERVAL_MS: '100' } })
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

test('every command that shows it says so, and ends', async () => {
  const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: '/say Forty-two.' })
  expect(await run.output()).toEqual({ text: 'Forty-two.' })
  laterMs = 31 * 86_400_000
  await eventually('the removal', () =>
    run.output().then(
      () => false,
      ({ code }) => code === 'content_removed',
    ),
  )

  const shown = await home.run('runs', 'show', run.id)
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/output +removed at the end of its retention\n$/),
  ])
  const watched = await home.run('runs', 'watch', run.id)
  expect(watched).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '… its events were removed at the end of its retention\n',
  })
  for (const more of [[], ['--follow']]) {
    const logs = await home.run('logs', run.id, ...more)
    expect(logs).toMatchObject({ code: 0, stdout: '', stderr: 'The log was removed with the content of the run.\n' })
  }
  const forked = await home.run('runs', 'fork', run.id, 'Again')
  expect([forked.code, forked.stderr]).toEqual([6, expect.stringContaining('The content of the run was removed')])
})
