/** Whether the server lives, and whether it is ready to work. Source: contract 9. */
import type { Lifecycle } from './lifecycle.ts'

/** Looks at one thing that the server needs. Throws, or never answers, when it is away. */
export type HealthCheck = () => void | Promise<void>

/** What readiness depends on, by name: `store`, `redis`, `runner`. */
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

/** Runs all checks side by side; one that does not answer within two seconds is failing. */
export async function readiness(checks: HealthChecks, lifecycle: Lifecycle): Promise<Readiness> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const),
  )
  const allOk = states.every(([, state]) => state === 'ok')
  const status = lifecycle.draining ? 'shutting_down' : allOk ? 'ready' : 'not_ready'
  return { status, checks: Object.fromEntries(states) }
}
