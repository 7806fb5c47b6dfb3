/** Workflows and their steps, as the reference knows them. */

/** A step as a Definition has it. */
export interface Step {
  id: string
  operation?: string
  workflow?: string
  sleep?: number
  waitFor?: { event: string; correlation: string; timeoutMs: number }
  when?: unknown
  forEach?: string
  concurrency?: number
  input?: object
  after?: string[]
  retry?: { maxAttempts: number; backoffMs: number }
  onError?: 'fail' | 'continue'
  compensate?: { operation: string; input?: object }
}

export interface Workflow {
  steps: Step[]
  output?: object
}

export type UnitState =
  | 'pending'
  | 'running'
  | 'waiting_approval'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'canceled'

/** What begins, is retried and ends by itself: a step, an item of its list, or its compensation. */
export interface Unit {
  id: string
  kind: 'step' | 'item' | 'compensation'
  /** Its step; itself if it is one. */
  of: string
  state: UnitState
  /** Each is another invocation. */
  attempts: number
  /** Since the start, a resume, or a resolution as `retry`. */
  tries: number
  /** Of the first of these. */
  startedAt: number | null
  /** Before this time it is not tried again. */
  retryAt: number | null
  /** The end of its wait, from when it waits. */
  until: number | null
  /** Whether its condition does not hold. */
  leftOut: boolean
  /** Whether the items of its list are known. */
  listed: boolean
  /** The order in which units succeeded. */
  order: number
  bytes: number
  error: string | null
}

type Outcome = 'running' | 'pending_approval' | 'succeeded' | 'failed' | 'rejected' | 'unknown'

export type Happening =
  | { type: 'reported'; unit: string; attempt: number; outcome: Outcome; bytes: number; code: string }
  /** It cannot be started, and a retry would not help. */
  | { type: 'refused'; unit: string; attempt: number; code: string }
  | { type: 'leftOut'; unit: string; attempt: number }
  | { type: 'listed'; unit: string; attempt: number; count: number }
  | { type: 'waits'; unit: string; attempt: number }
  | { type: 'rendered' }
  | { type: 'notRendered'; code: string }
  | { type: 'cancel' }
  | { type: 'resume' }
  | { type: 'resolve'; unit: string; outcome: 'succeeded' | 'failed' | 'retry'; bytes: number }
  /** Time has passed. */
  | { type: 'timer' }

export const bytesMax = 1024 * 1024
export const itemsMax = 1_000
export const endings: readonly UnitState[] = ['succeeded', 'failed', 'skipped', 'canceled']

export const isActive = ({ state }: Unit): boolean => state === 'running' || state === 'waiting_approval'

export const newUnit = (id: string, kind: Unit['kind'], of: string): Unit => {
  const unknown = { startedAt: null, retryAt: null, until: null, error: null }
  return {
    id,
    kind,
    of,
    state: 'pending',
    attempts: 0,
    tries: 0,
    leftOut: false,
    listed: false,
    order: 0,
    bytes: 0,
    ...unknown,
  }
}

export function leaveOut(unit: Unit) {
  reset(unit)
  unit.leftOut = true
  unit.state = 'skipped'
}

/** It begins anew, with all its attempts. */
export function reset(unit: Unit) {
  const { id, kind, of, attempts } = unit
  Object.assign(unit, newUnit(id, kind, of), { attempts })
}
