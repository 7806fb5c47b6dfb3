/** A server without an embedded runner: a test leases its runs and sends any report. */
import { expect } from 'bun:test'
import { start } from '../../../support/run-records.ts'
import { type HeldAttempt, lease } from '../../../support/simulated-runner.ts'
import { openTroupe } from '../../../support/troupe.ts'

/** A tool call of a model. */
export const call = { toolCallId: 'call_1', toolName: 'calculator', input: { expression: '1+1' } }

export async function openWorld() {
  const runnerToken = 'runner-token-of-the-tests'
  const troupe = await openTroupe({
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RUNNER_TOKEN: runnerToken,
      TROUPE_ATTEMPT_BACKOFF_MS: '20',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
    },
  })
  const client = troupe.owner

  /** Starts a run and leases it. */
  async function leased(query: string, more: Record<string, unknown> = {}): Promise<HeldAttempt> {
    const run = await start(client, query, more)
    const attempt = await lease(client, runnerToken)
    expect(attempt.runId).toBe(run.id)
    return attempt
  }
  async function running(query: string, more: Record<string, unknown> = {}): Promise<HeldAttempt> {
    const attempt = await leased(query, more)
    expect((await attempt.boot()).status).toBe(200)
    return attempt
  }

  return { client, url: troupe.url, runnerToken, leased, running, stop: troupe.stop }
}

export type World = Awaited<ReturnType<typeof openWorld>>
