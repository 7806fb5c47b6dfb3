/**
 * Servers that are restarted one after the other behind nginx and behind Caddy, as configured in `deploy/`, while
 * clients start runs, follow streams and read lists, and an external runner works: nobody sees an error.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api, type Client } from '../support/client.ts'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { proxyIsInstalled, proxyNames, type RealProxy, startProxy } from '../support/cluster/real-proxy.ts'
import { freePorts } from '../support/free-ports.ts'
import { eventually, type RunningProcess } from '../support/process.ts'
import { inState, start, transitionsOf } from '../support/run-records.ts'

const runs = '/api/v1/agent-runs'
const system = 'agt_system_assistant'

interface Frame {
  id: number | undefined
  event: string
}

/**
 * Follows a stream like a browser: when it ends without its last event, it requests what follows. Any refusal is an
 * error.
 */
async function follow(
  url: string,
  key: string,
  isLast: (frame: Frame) => boolean,
): Promise<{ ids: number[]; streams: number }> {
  const ids: number[] = []
  for (let streams = 1; ; streams += 1) {
    const last = ids.at(-1)
    const answer = await fetch(url, {
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        ...(last !== undefined && { 'last-event-id': String(last) }),
      },
    })
    if (answer.status === 204) return { ids, streams }
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block)?.[1]
        if (id !== undefined) ids.push(Number(id))
        const event = /^event: (.*)$/m.exec(block)?.[1] ?? ''
        if (isLast({ id: id === undefined ? undefined : Number(id), event })) return { ids, streams }
      }
    }
    await Bun.sleep(50)
  }
}

describe.skipIf(!clusterIsPossible()).each([...proxyNames])('behind %s', (name) => {
  describe.skipIf(!proxyIsInstalled(name))('servers that are restarted one after the other', () => {
    const ports = freePorts(3)
    let cluster: Cluster
    let proxy: RealProxy
    let client: Client
    let runner: RunningProcess

    beforeAll(async () => {
      cluster = await Cluster.start({ TROUPE_ATTEMPT_BACKOFF_MS: '10', TROUPE_RUNNER_SLOTS: '4' }, 0)
      for (const port of ports) await cluster.join({ PORT: String(port) })
      proxy = await startProxy(name, ports)
      client = api(proxy.url, cluster.key)
      runner = cluster.site.startRunner(proxy.url, { LOG_LEVEL: 'warn', TROUPE_RUNNER_SLOTS: '8' })
    })
    afterAll(async () => {
      await runner?.end('SIGTERM')
      await proxy?.stop()
      await cluster?.stop()
    })

    test('answer every request, lose no stream and no run', async () => {
      const begun: string[] = []
      const followed: Promise<{ ids: number[]; streams: number }>[] = []
      let going = true
      const starts = async () => {
        while (going) {
          const headers = { 'idempotency-key': crypto.randomUUID() }
          const { status, body } = await client.post(
            runs,
            { agentId: system, query: `/sleep ${begun.length % 5}00\n/tokens 20` },
            { headers },
          )
          expect({ status, body }).toMatchObject({ status: 200 })
          begun.push(body.data.id)
          if (begun.length % 3 === 0)
            followed.push(
              follow(`${proxy.url}${runs}/${body.data.id}/stream?after=0`, cluster.key, ({ event }) => event === 'end'),
            )
          await Bun.sleep(20)
        }
      }
      const reads = async () => {
        while (going) {
          const { status, body } = await client.get(runs, { query: { limit: 5 } })
          expect({ status, body }).toMatchObject({ status: 200 })
          await Bun.sleep(20)
        }
      }
      const long = await start(client, '/sleep 8000\n/call calculator {"expression": "6*7"}\n/say Long')
      // the stream that the console follows
      const changes = follow(`${proxy.url}${runs}/changes`, cluster.key, () => !going)
      const all = Promise.all([starts(), starts(), reads()])
      const restarts = async () => {
        await eventually('some runs', () => begun.length > 5)
        for (const port of ports) {
          const old = cluster.servers.find(({ url }) => url.endsWith(`:${port}`)) as ClusterServer
          expect(await old.end('SIGTERM')).toBe(0)
          await cluster.join({ PORT: String(port) })
          const before = begun.length
          await eventually('some more runs', () => begun.length > before + 5)
        }
      }
      await Promise.race([restarts(), all.then(() => Promise.reject(new Error('The clients have ended.')))])
      going = false
      await all
      // a change ends the last stream
      await start(client, '/say The last one')
      const { streams } = await changes
      expect(streams).toBeGreaterThan(1)

      for (const id of [long.id, ...begun]) {
        const run = await inState(client, id, 'completed', 'failed')
        expect(run).toMatchObject({ id, state: 'completed' })
        const moves = await transitionsOf(client, id)
        expect(moves.map(({ sequence }) => sequence)).toEqual(moves.map((_, place) => place + 1))
        expect(moves.filter(({ to }) => to === 'queued').length).toBeLessThanOrEqual(ports.length + 1)
      }
      for (const { ids } of await Promise.all(followed)) expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
      expect(runner.output()).not.toMatch(/"level":(?:40|50)|error/i)
    })
  })
})
