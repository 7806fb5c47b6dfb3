/**
 * A server without an embedded runner, with two organizations: the first one, whose owner manages the server, and
 * another.
 */
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api, type Client } from '../../support/client.ts'
import { askForWork, type HeldAttempt, type LeaseOptions, lease } from '../../support/simulated-runner.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export const operatorToken = 'runner-token-of-the-operator'

export async function openPools({ clock = new HandClock(), ...options }: TroupeOptions & { clock?: HandClock } = {}) {
  const troupe = await openServer({
    ...options,
    clock,
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RUNNER_TOKEN: operatorToken,
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      ...options.environment,
    },
  })
  const { owner, url, ours: ourId } = troupe
  const { id: otherId, client: other } = await newOrganization(troupe, 'other')

  /** Anything but a creation fails the test. */
  const made = async (client: Client, path: string, body: object) => {
    const reply = await client.post(path, body)
    if (reply.status !== 201) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  const newPool = (client: Client, body: object = {}) =>
    made(client, '/api/v1/runner-pools', { name: `pool-${crypto.randomUUID()}`, ...body })
  const newToken = (client: Client, poolId: string, body: object = {}) =>
    made(client, `/api/v1/runner-pools/${poolId}/tokens`, body)

  /** Lets due timers fire: a request that does not wait has one. */
  async function ticking<Result>(work: Promise<Result>): Promise<Result> {
    const tick = setInterval(() => clock.advance(0), 1)
    try {
      return await work
    } finally {
      clearInterval(tick)
    }
  }

  return {
    troupe,
    clock,
    owner,
    other,
    ourId,
    otherId,
    stranger: api(url),
    newPool,
    newToken,
    /** A new pool with a token. */
    async furnished(client: Client, body: object = {}) {
      const pool = await newPool(client, body)
      const token = await newToken(client, pool.id)
      return { pool, token, secret: token.secret as string, path: `/api/v1/runner-pools/${pool.id}` }
    },
    async start(client: Client, query = '/say hi'): Promise<string> {
      const reply = await client.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query })
      if (reply.status !== 200) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`)
      return reply.body.data.id
    },
    ask: (secret: string, request: LeaseOptions = {}) =>
      ticking(askForWork(api(url), secret, { waitSeconds: 0, ...request })),
    lease: (secret: string, request: LeaseOptions = {}): Promise<HeldAttempt> =>
      ticking(lease(api(url), secret, { waitSeconds: 0, ...request })),
    stateOf: async (client: Client, runId: string) => (await client.get(`/api/v1/agent-runs/${runId}`)).body.data.state,
  }
}
export type PoolsWorld = Awaited<ReturnType<typeof openPools>>
