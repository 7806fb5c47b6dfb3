/**
 * Runner processes with the gateway: the same steps as the embedded runner's, and nothing lost when the server or the
 * runner is killed.
 */
import { afterAll, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { endAll, Site } from '../../support/process.ts'
import { checkpointOf, expectWhole, expectWholeStream, inState, start, stepsOf } from '../../support/run-records.ts'

const sites: Site[] = []
async function newSite(environment: Record<string, string> = {}) {
  const site = await Site.create({ TROUPE_ATTEMPT_BACKOFF_MS: '20', ...environment })
  sites.push(site)
  return { site, server: await site.start() }
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const echo = (text: string) => `/call echo {"text":"${text}"}`
const conversations = [
  '/say hello there',
  'Just a question?',
  `${echo('a')}\n/say after the call`,
  `/say before\n${echo('a')}\n${echo('b')}\n/tokens 50`,
  '/fail It will not do.',
  '/flaky 1\n/say at last',
  '/call nothing {}\n/say told so',
  '/call calculator {"expression":"6*7"}\n/say done',
]

// biome-ignore lint/suspicious/noExplicitAny: steps as the API returns them
const summaryOf = (step: any): object => {
  const { kind, name, status, attempt, tokenUsage, execution, input, output, error, childAgentSteps } = step
  const below = childAgentSteps.map(summaryOf)
  return { kind, name, status, attempt, tokenUsage, execution, input, output, error, below }
}

test.concurrent('an external runner executes a conversation like the embedded one', async () => {
  const outcomes = await Promise.all(
    ['embedded', 'none'].map(async (runner) => {
      const { site, server } = await newSite({ TROUPE_RUNNER: runner })
      if (runner === 'none') site.startRunner(server.url)
      const outcome = []
      for (const query of conversations) {
        const { id } = await start(server.client, query)
        const run = await inState(server.client, id, 'completed', 'failed')
        const tree = await server.client.get(`/api/v1/agent-runs/${id}/steps`, { query: { depth: 10 } })
        const { state, stateReason, stopReason, attempt, outputDigest } = run
        const messages =
          state === 'completed' ? (await checkpointOf(server.client, id)).runtimeCheckpoint.messages : null
        await expectWholeStream(server.client, id)
        const steps = tree.body.data.items.map(summaryOf)
        outcome.push({ query, state, stateReason, stopReason, attempt, outputDigest, messages, steps })
      }
      await server.end('SIGTERM')
      return outcome
    }),
  )
  expect(outcomes[1]).toEqual(outcomes[0])
})

/** Waits until readers of the run have received this many words. */
async function spoken(client: Client, id: string, words: number) {
  const enough = new AbortController()
  const { signal } = enough
  const answer = await client.raw('GET', `/api/v1/agent-runs/${id}/stream`, undefined, { query: { after: 0 }, signal })
  let text = ''
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split('word').length > words) break
  }
  enough.abort()
}

test.concurrent('after the server is killed during a model call, the call is repeated, and no text is sent twice', async () => {
  // a server may take long to start on a busy machine
  const { site, server } = await newSite({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '300000' })
  const { port } = new URL(server.url)
  const runner = site.startRunner(server.url)
  const { id } = await start(server.client, '/tokens 200\n/sleep 1500\n/say and the end', { maxRetries: 0 })
  await spoken(server.client, id, 200)
  await server.end('SIGKILL')
  const again = await site.start({ PORT: port })
  await inState(again.client, id, 'completed', 'failed')
  const { run } = await expectWhole(again.client, id)
  expect([run.state, run.stateReason, run.attempt]).toEqual(['completed', null, 1])
  await expectWholeStream(again.client, id)
  const [, model] = await stepsOf(again.client, id)
  expect(model.output.text).toBe(`${Array(200).fill('word').join(' ')} and the end`)
  expect(await runner.end('SIGTERM')).toBe(0)
  await again.end('SIGTERM')
})

test.concurrent('a runner that is killed during a model call loses only the attempt; the output counts', async () => {
  const { site, server } = await newSite({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '3000' })
  const { client } = server
  const victim = site.startRunner(server.url)
  // a busy machine may lose further attempts
  const { id } = await start(client, '/tokens 200\n/sleep 2500\n/say done', { maxRetries: 10 })
  await spoken(client, id, 200)
  await victim.end('SIGKILL')
  const other = site.startRunner(server.url)
  await inState(client, id, 'completed', 'failed')
  const { run } = await expectWhole(client, id)
  expect(run.state).toBe('completed')
  const models = (await stepsOf(client, id)).filter(({ kind }) => kind === 'model')
  const used = models.map(({ attempt, status, tokenUsage }) => [attempt, status, tokenUsage.outputTokens])
  expect([used[0], used.at(-1)]).toEqual([
    [1, 'failed', 200],
    [run.attempt, 'completed', 201],
  ])
  expect(await other.end('SIGTERM')).toBe(0)
  await server.end('SIGTERM')
})
