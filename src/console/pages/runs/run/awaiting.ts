/** Describes what a run waits for. Source: contract 5, `awaiting`. */
import type { AwaitingKind, PresentedRun } from '../../../../runs/present.ts'

export type PendingCall = NonNullable<PresentedRun['awaiting']>['pending'][number]

/** Follows the name of the tool or delegate. */
export const titles: Record<AwaitingKind, string> = {
  tool: 'waiting for an answer',
  delegate: 'waiting for the result of an external delegate',
  agentRun: 'waiting for the run of another Agent',
  worker: 'waiting for a worker',
  operation: 'approved, in progress',
  workflow: 'waiting for a workflow',
  approval: 'waiting for approval',
  connection: 'waiting for an account to be connected',
}

/** Stands alone, in lists and facts. */
const awaitingWords: Record<AwaitingKind, string> = {
  tool: 'an answer',
  delegate: 'an external result',
  agentRun: 'another Agent',
  worker: 'a worker',
  operation: 'an operation',
  workflow: 'a workflow',
  approval: 'approval',
  connection: 'a connected account',
}

/** `approval`, `an answer and approval`; each kind once. */
export function awaitingText({ awaiting }: Pick<PresentedRun, 'awaiting'>): string | undefined {
  const kinds = new Set(awaiting?.pending.map(({ kind }) => kind))
  return kinds.size === 0 ? undefined : [...kinds].map((kind) => awaitingWords[kind]).join(' and ')
}

const orderOfMovers = ['people', 'approvals', 'agents', 'workers', 'operations', 'workflows'] as const
export type WaitsFor = (typeof orderOfMovers)[number]

const movers: Record<AwaitingKind, WaitsFor> = {
  tool: 'people',
  delegate: 'people',
  connection: 'people',
  approval: 'approvals',
  agentRun: 'agents',
  worker: 'workers',
  operation: 'operations',
  workflow: 'workflows',
}

/** Calls that people answer, first: until they are answered, a message would count as a result. */
export function waitsFor({ awaiting }: Pick<PresentedRun, 'awaiting'>): WaitsFor | undefined {
  const found = new Set(awaiting?.pending.map(({ kind }) => movers[kind]))
  return orderOfMovers.find((each) => found.has(each))
}

/** Start of the next attempt, if in the future. */
export function nextAttemptOf({ state, availableAt }: PresentedRun, now: number): string | undefined {
  return state === 'queued' && availableAt !== undefined && Date.parse(availableAt) > now ? availableAt : undefined
}

/** Start of the first attempt, if it was put off. */
export const startsAtOf = (run: PresentedRun, now: number): string | undefined =>
  run.attempt === 0 ? nextAttemptOf(run, now) : undefined

/** From when its time in the queue counts. */
export const queuedFrom = ({ createdAt, startAt }: Pick<PresentedRun, 'createdAt' | 'startAt'>): string =>
  startAt ?? createdAt
