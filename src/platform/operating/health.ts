/** Liveness and readiness of the server. Source: contract 9. */
import type { Members } from '../members/members.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Checks one dependency of the server. Throws, or never returns, if it is unavailable. */
export type HealthCheck = () => void | Promise<void>

/** The dependencies by name: `store`, `redis`, `runner`. */
export type HealthChecks = Record<string, HealthCheck>

export type CheckState = 'ok' | 'failing'

export interface Readiness {
  status: 'ready' | 'not_ready' | 'shutting_down'
  checks: Record<string, CheckState>
  process?: ProcessReadiness
}

/** What operators look at besides: it says nothing against serving. */
export interface ProcessReadiness {
  id: string
  /** Epoch milliseconds of this machine less those of the store. */
  clockSkewMs: number
  clock: 'ok' | 'skewed'
  /** How long the work of this process that has been due for longest has been; null: the store does not say. */
  lagMs: number | null
  /** Ascending. */
  slots: number[]
}

export interface ProcessFacts {
  members: Pick<Members, 'id' | 'skewMs' | 'slots'>
  /** Since when the work has been due that this process has not begun; undefined: none is. Epoch milliseconds. */
  dueSince(): Promise<number | undefined>
  now(): number
}

/** A clock that is further from the store's is too far. */
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
