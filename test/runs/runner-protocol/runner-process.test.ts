/** The runner as a separate process: `bun src/runs/runner/main.ts`. Source: contract 5, 9. */
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site, within } from '../../support/process.ts'
import {
  completedCalls,
  expectWhole,
  expectWholeStream,
  getRun,
  inState,
  start,
  stepsOf,
  timesTold,
} from '../../support/run-records.ts'

const sites: Site[] = []
async function newSite(environment: Record<string, string> = {}) {
  const site = await Site.create({ TROUPE_RUNNER: 'none', TROUPE_ATTEMPT_BACKOFF_MS: '20', ...environment })
  sites.push(site)
  return { site, server: await site.start() }
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const echo = (text: string) => `/call echo {"text":"${text}"}`

test.concurrent('a runner completes runs, and after it is killed in the middle another one continues without repeating anything', async () => {
  const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: '1500' })
  const { client } = server
  const victim = site.startRunner(server.url, { TROUPE_RUNNER_MACHINE_ID: 'victim', TROUPE_RUNNER_SLOTS: '4' })
  const quick = await start(client, `${echo('a')}\n/say done`)
  await inState(client, quick.id, 'completed')
  expect(await completedCalls(client, quick.id)).toEqual({ call_1: 1 })
  await expectWholeStream(client, quick.id)

  const query = `${echo('a')}\n${echo('b')}\n/sleep 2500\n${echo('c')}\n/say done`
  const ids: string[] = []
  // a busy machine may lose further attempts
  for (let count = 0; count < 4; count += 1) ids.push((await start(client, query, { maxRetries: 10 })).id)
  for (const id of ids) {
    await eventually('a run beyond its second call', async () => (await stepsOf(client, id)).length >= 6)
  }
  await victim.end('SIGKILL')
  const other = site.startRunner(server.url, { TROUPE_RUNNER_MACHINE_ID: 'other' })
  for (const id of ids) {
    await inState(client, id, 'completed', 'failed')
    const { run, transitions } = await expectWhole(client, id)
    expect({ id, state: run.state, reason: run.stateReason }).toEqual({ id, state: 'completed', reason: null })
    const lost = transitions.filter(({ event }) => event === 'attemptLost')
    expect(lost[0]).toMatchObject({ from: 'running', to: 'queued', reason: { code: 'lease_lost' } })
    expect(await completedCalls(client, id)).toEqual({ call_1: 1, call_2: 1, call_3: 1 })
    expect(await timesTold(client, id, query)).toBe(1)
    await expectWholeStream(client, id)
  }
  expect(await other.end('SIGTERM')).toBe(0)
  await server.end('SIGTERM')
})

test.concurrent('a runner that is stopped hands its runs back at no cost, and a canceled run stops', async () => {
  const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: '15000' })
  const { client } = server
  const first = site.startRunner(server.url)
  const canceled = await start(client, '/sleep 600000')
  await eventually('a model call', async () => (await stepsOf(client, canceled.id)).length === 2)
  await client.post(`/api/v1/agent-runs/${canceled.id}/cancel`)
  await inState(client, canceled.id, 'canceled')
  const { transitions } = await expectWhole(client, canceled.id)
  expect(transitions.at(-1)).toMatchObject({ event: 'reported', actor: { type: 'runner' } })

  const query = `${echo('a')}\n/sleep 1500\n${echo('b')}\n/say done`
  const kept = await start(client, query, { maxRetries: 0 })
  await eventually('the second model call', async () => (await stepsOf(client, kept.id)).length === 4)
  expect(await first.end('SIGTERM')).toBe(0)
  expect(await getRun(client, kept.id)).toMatchObject({ state: 'queued' })

  const second = site.startRunner(server.url)
  await inState(client, kept.id, 'completed', 'failed')
  expect((await expectWhole(client, kept.id)).run).toMatchObject({ state: 'completed', attempt: 2 })
  expect(await completedCalls(client, kept.id)).toEqual({ call_1: 1, call_2: 1 })
  expect(await second.end('SIGTERM')).toBe(0)
  await server.end('SIGTERM')
})

test.concurrent('a runner survives the restart of its server during its attempts', async () => {
  // a server may take long to start on a busy machine
  const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: '300000' })
  const { port } = new URL(server.url)
  const runner = site.startRunner(server.url, { TROUPE_RUNNER_SLOTS: '8' })
  const query = `${echo('a')}\n/sleep 200\n${echo('b')}\n/tokens 300\n/sleep 200\n${echo('c')}\n/sleep 200\n${echo('d')}\n/say done`
  const ids: string[] = []
  for (let count = 0; count < 4; count += 1) ids.push((await start(server.client, query, { maxRetries: 0 })).id)
  await eventually('runs in the middle', async () => (await stepsOf(server.client, ids[3] as string)).length >= 4)
  let current = server
  for (let kills = 0; kills < 2; kills += 1) {
    await current.end('SIGKILL')
    current = await site.start({ PORT: port })
  }
  const { client } = current
  const later = await start(client, '/say later')
  for (const id of [...ids, later.id]) {
    await inState(client, id, 'completed', 'failed')
    const { run } = await expectWhole(client, id)
    expect({ id, state: run.state, attempt: run.attempt }).toEqual({ id, state: 'completed', attempt: 1 })
    await expectWholeStream(client, id)
  }
  for (const id of ids) {
    expect(await completedCalls(client, id)).toEqual({ call_1: 1, call_2: 1, call_3: 1, call_4: 1 })
    expect(await timesTold(client, id, query)).toBe(1)
    // Exactly the runner's steps, although answers were lost.
    expect(await stepsOf(client, id)).toHaveLength(1 + 5 + 4)
  }
  expect(await runner.end('SIGTERM')).toBe(0)
  await current.end('SIGTERM')
})

test.concurrent('a runner with an unknown token ends and says why', async () => {
  const { site, server } = await newSite()
  const refused = site.startRunner(server.url, { TROUPE_RUNNER_TOKEN: 'not-the-token-of-the-server' })
  expect(await within(refused.exited, 'an end', refused.output)).toBe(1)
  expect(refused.output()).toContain('Is TROUPE_RUNNER_TOKEN the one of the server?')
  expect(refused.output()).not.toContain('not-the-token-of-the-server')
  await server.end('SIGTERM')
})
