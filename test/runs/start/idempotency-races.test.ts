import { describe, expect, test } from 'bun:test'
import { serviceUnavailable } from '../../../src/platform/http/answers/errors.ts'
import type { AgentResolver } from '../../../src/runs/admission/agents.ts'
import { assistant, openWorld, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
const keyed = (key: string) => ({ headers: { 'idempotency-key': key }, unchecked: true })
const body = { agentId: assistant, query: 'Hello' }
const countRuns = async (of: World) =>
  (await of.store.first<{ count: number }>({ sql: 'select count(*) as count from runs', parameters: [] }))?.count ?? 0

describe('while the first request is in progress', () => {
  test('the others wait, and take its place if it fails', async () => {
    let looks = 0
    const other = await openWorld({
      agents: (system) => ({
        resolve: async (...given) => {
          looks += 1
          await new Promise((resolve) => setImmediate(resolve))
          if (looks < 3) throw serviceUnavailable('Not now.')
          return system.resolve(...given)
        },
      }),
    })
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => other.owner.post(path, body, keyed('turns'))))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(18).fill(200), 503, 503])
      expect([looks, await countRuns(other)]).toEqual([3, 1])
    } finally {
      await other.close()
    }
  })

  test('the same request waits, for at most five seconds', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrives } = Promise.withResolvers<void>()
    const slow = (system: AgentResolver): AgentResolver => ({
      resolve: async (...given) => {
        arrives()
        await held
        return system.resolve(...given)
      },
    })
    const other = await openWorld({ agents: slow })
    try {
      const send = () => other.owner.post(path, body, keyed('slow'))
      const first = send()
      await arrived
      const impatient = send()
      while (other.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
      other.clock.advance(5_000)
      const { status, body: answer } = await impatient
      expect([status, answer.error.code]).toEqual([409, 'idempotency_in_progress'])
      const patient = send()
      while (other.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
      go()
      expect((await patient).body).toEqual((await first).body)
      expect(await countRuns(other)).toBe(1)
    } finally {
      await other.close()
    }
  })

  test('an answer that another process stored meanwhile is used for both', async () => {
    const meanwhile = { done: true }
    const other = await openWorld({
      reserve: () => {
        if (meanwhile.done) return undefined
        meanwhile.done = true
        // what another process would commit between our query and our commit
        void other.store.commit([
          {
            sql: 'insert into idempotency_keys select scope, fingerprint, status, body, created_at, expires_at from stolen',
            parameters: [],
          },
        ])
        return undefined
      },
    })
    try {
      const first = await other.owner.post(path, body, keyed('race'))
      const write = (sql: string) => other.store.commit([{ sql, parameters: [] }])
      await write('create table stolen as select * from idempotency_keys')
      await write('delete from idempotency_keys')
      meanwhile.done = false
      const second = await other.owner.post(path, body, keyed('race'))
      expect(second.body).toEqual(first.body)
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      expect(await countRuns(other)).toBe(1)
    } finally {
      await other.close()
    }
  })
})
