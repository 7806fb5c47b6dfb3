/** A server with prices, and an external runner whose model is the sandbox: tokens are words. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Reply } from '../../support/client.ts'
import { agentId, stepsOf } from '../../support/run-records.ts'
import { placesOf } from '../../support/world/places.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

/** A million input words cost 1, output words 10. */
const prices = [
  { provider: 'sandbox', model: 'sand*', inputPerMillion: 1, outputPerMillion: '10', currency: 'USD' },
  { provider: 'sandbox', model: '*', inputPerMillion: 99, outputPerMillion: 99, currency: 'EUR' },
  {
    provider: 'openai',
    model: 'cached-*',
    inputPerMillion: '2',
    outputPerMillion: '8',
    cachedInputPerMillion: '0.5',
    reasoningPerMillion: 4,
    currency: 'USD',
  },
  { provider: 'openai', model: 'plain', inputPerMillion: '2', outputPerMillion: '8', currency: 'USD' },
]

/** A query with three model steps. */
export const twoCalls = '/call calculator {"expression":"1+1"}\n/call calculator {"expression":"2+2"}\n/say done'
export const usd = (amount: string) => ({ amount, currency: 'USD' })

export async function pricesFile(given: unknown = prices) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-prices-'))
  const path = join(folder, 'prices.json')
  await writeFile(path, typeof given === 'string' ? given : JSON.stringify(given))
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}

export async function openWorld(environment: Record<string, string> = {}) {
  const file = await pricesFile()
  const server = await openServer({
    clock: systemClock,
    environment: {
      TROUPE_PRICES_FILE: file.path,
      TROUPE_ATTEMPT_BACKOFF_MS: '1',
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      ...environment,
    },
  })
  const { owner } = server
  return {
    ...server,
    ...placesOf(server),
    /** The answer to a start that waits for the end of the run. */
    start: (query: string, more: object = {}): Promise<Reply> =>
      owner.post('/api/v1/agent-runs?waitSeconds=60', { agentId, query, ...more }),
    /** Its model steps, oldest first. */
    async modelSteps(runId: string) {
      const steps = await stepsOf(owner, runId)
      return steps.filter(({ kind }) => kind === 'model')
    },
    async stop() {
      await server.stop()
      await file.remove()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** The exact cost of this many tokens of the sandbox, in micro-dollars. */
export const priceOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  decimal(inputTokens + 10 * outputTokens)

/** Millionths as a decimal number. */
export function decimal(millionths: number): string {
  const digits = String(millionths).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${digits.slice(0, -6)}${fraction && `.${fraction}`}`
}
