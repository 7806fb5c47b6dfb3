/** Liveness and readiness of the server. Source: contract 9. */
import type { Members } from '../members/members.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Checks one dependency of the server. Throws, or never returns, if it is unavailable. */
type HealthCheck = () => void | Promise<void>

/** The dependencies by name: `store`, `redis`, `runner`. */
export type HealthChecks = Record<string, HealthCheck>

type CheckState = 'ok' | 'failing'

interface Readiness {
  status: 'ready' | 'not_ready' | 'shutting_down'
  checks: Record<string, CheckState>
  process?: ProcessReadiness
}

/** Facts for operators, which do not affect readiness. */
interface ProcessReadiness {
  id: string
  /** The offset of this machine's clock from the store's, in milliseconds; positive if ahead. */
  clockSkewMs: number
  clock: 'ok' | 'skewed'
  /** How overdue this process's oldest due work is; null if the store does not provide it. */
  lagMs: number | null
  /** Ascending. */
  slots: number[]
}

export interface ProcessFacts {
  members: Pick<Members, 'id' | 'skewMs' | 'slots'>
  /** The due time of this process's oldest work that has not begun; undefined if there is none. Epoch milliseconds. */
  dueSince(): Promise<number | undefined>
  now(): number
}

/** The largest offset of the clock that is not reported as skewed. */
const skewMsMax = 1_000

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

async function processOf({ members, dueSince, now }: ProcessFacts): Promise<ProcessReadiness> {
  const { id, skewMs, slots } = members
  let lagMs: number | null = null
  await stateOf(async () => {
    const since = await dueSince()
    lagMs = since === undefined ? 0 : Math.max(0, now() - since)
  })
  const clock = Math.abs(skewMs) > skewMsMax ? 'skewed' : 'ok'
  return { id, clockSkewMs: Math.round(skewMs), clock, lagMs, slots: [...slots] }
}

/** Runs all checks in parallel; one that does not return within two seconds fails. */
export async function readiness(checks: HealthChecks, lifecycle: Lifecycle, facts?: ProcessFacts): Promise<Readiness> {
  const [process, ...states] = await Promise.all([
    facts && processOf(facts),
    ...Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const),
  ])
  const allOk = states.every(([, state]) => state === 'ok')
  const status = lifecycle.leaving ? 'shutting_down' : allOk ? 'ready' : 'not_ready'
  return { status, checks: Object.fromEntries(states), ...(process && { process }) }
}
