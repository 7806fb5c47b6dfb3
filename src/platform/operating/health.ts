/** Liveness and readiness of the server. Source: contract 9. */
import type { Lifecycle } from './lifecycle.ts'

/** Checks one dependency of the server. Throws, or never returns, if it is unavailable. */
export type HealthCheck = () => void | Promise<void>

/** The dependencies by name: `store`, `redis`, `runner`. */
export type HealthChecks = Record<string, HealthCheck>

export type CheckState = 'ok' | 'failing'

export interface Readiness {
  status: 'ready' | 'not_ready' | 'shutting_down'
  checks: Record<string, CheckState>
}

const timeLimitMs = 2000

async function stateOf(check: HealthCheck): Promise<CheckState> {
  let timer: Timer | undefined
  const timeLimit = new Promise<CheckState>((resolve) => {
    timer = setTimeout(() => resolve('failing'), timeLimitMs)
  })
  const asked = (async () => check())().then(
    (): CheckState => 'ok',
    (): CheckState => 'failing',
  )
  try {
    return await Promise.race([asked, timeLimit])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs all checks in parallel; one that does not return within two seconds fails. */
export async function readiness(checks: HealthChecks, lifecycle: Lifecycle): Promise<Readiness> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const),
  )
  const allOk = states.every(([, state]) => state === 'ok')
  const status = lifecycle.draining ? 'shutting_down' : allOk ? 'ready' : 'not_ready'
  return { status, checks: Object.fromEntries(states) }
}
