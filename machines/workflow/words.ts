/** Context and events of a workflow run and its steps. Source: contract 6, `WorkflowRun`. */
import type { Cause, Stamp } from '../words.ts'

/** The limit on a run's params and outputs together, as JSON. Source: the body limit of contract 0. */
export const workflowBytesMax = 1024 * 1024

export const workflowRunStates = [
  'running',
  'waiting',
  'unknown',
  'canceling',
  'completed',
  'failed',
  'canceled',
] as const
export type WorkflowRunState = (typeof workflowRunStates)[number]

export const workflowStepStates = [
  'pending',
  'running',
  'waiting_approval',
  'waiting',
  'succeeded',
  'failed',
  'unknown',
  'skipped',
  'canceled',
] as const
export type WorkflowStepState = (typeof workflowStepStates)[number]

/** The part of a step's definition that decisions depend on. */
export interface PlannedStep {
  id: string
  /** `<definition>.<operation>`; null: the step does something else. */
  operation: string | null
  /** Indexes of the steps that it depends on. */
  after: readonly number[]
  /** Includes the first attempt. */
  maxAttempts: number
  backoffMs: number
  /** Whether dependent steps continue after its failure. */
  continues: boolean
  /** The step only waits for so long. */
  sleepMs?: number
  /** The step waits for an event, for so long at most. */
  timeoutMs?: number
  /** The workflow that it runs. */
  workflow?: string
  /** The step is done for each item of a list, for so many at once. */
  concurrency?: number
  /** The index of the step whose element this one is. */
  element?: number
  /** The index of the step that this one compensates; it begins only when the run fails or is canceled. */
  compensates?: number
}

const compensationSuffix = ':compensate'
/** The id of the step that compensates another; no step of a workflow has a colon in its id. */
export const compensationOf = (stepId: string): string => `${stepId}${compensationSuffix}`
/** The id of the step that this one compensates; undefined: it is a step of the workflow itself. */
export const compensatedBy = (stepId: string): string | undefined =>
  stepId.endsWith(compensationSuffix) ? stepId.slice(0, -compensationSuffix.length) : undefined

/** The most elements of a run, of all its steps. */
export const workflowElementsMax = 1_000
/** The id of an element of a step; no step of a workflow has a dot in its id. */
export const elementOf = (stepId: string, index: number): string => `${stepId}.${index}`
/** The step and the index of an element; undefined: it is none. */
export function readElement(stepId: string): { stepId: string; index: number } | undefined {
  const [of = '', index] = stepId.split('.')
  return index === undefined ? undefined : { stepId: of, index: Number(index) }
}

export interface StepProgress {
  state: WorkflowStepState
  /** It was skipped because its condition does not hold, and stays so; those after it run. */
  leftOut?: boolean
  /** An element that was skipped because the list has become shorter. */
  beyond?: boolean | undefined
  /** Attempts since the run's start; each is a separate invocation. */
  attempts: number
  /** Attempts since the start, the last resume or the last `retry`: limited by `maxAttempts`. */
  tries: number
  /** Set while it waits for a retry. */
  retryAt: number | null
  /** Its place in the order of completion, from 1. */
  order?: number
  /** Its elements are known. */
  counted?: boolean | undefined
  /** The size of its output. */
  bytes?: number
  /** Until when it is `waiting`, or was. */
  until?: number | undefined
  /** The event that it waits for, or waited for. */
  awaits?: AwaitedEvent | undefined
  error: Cause | null
  startedAt: number | null
  endedAt: number | null
}

/** What an event must be to end a wait. */
interface AwaitedEvent {
  event: string
  correlation: string
}

/** An attempt to start or to query. */
export interface StepToBegin {
  stepId: string
  attempt: number
}

export interface WorkflowRunContext {
  plan: readonly PlannedStep[]
  /** In the plan's order. */
  steps: readonly StepProgress[]
  /** The attempts that the last event made due. */
  due: readonly StepToBegin[]
  nextRetryAt: number | null
  /** When the first of the waiting steps ends; contexts of earlier versions have none. */
  nextWakeAt?: number | null
  /** Why no step starts: until a resume, or permanently. */
  stopped: 'unknown' | 'canceled' | null
  output: 'none' | 'wanted' | 'rendered' | 'failed'
  /** The size of the params and all outputs so far. */
  bytes: number
  /** Why the run failed or stopped. */
  cause: Cause | null
  endedAt: number | null
}

/** The state of a step's invocation. */
type StepInvocationState = 'pending_approval' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'

/** An event about an attempt of a step. */
interface OfAttempt {
  stepId: string
  attempt: number
}

export type WorkflowRunEvent =
  /** The state of a step's invocation; may be repeated or late. */
  | (Stamp &
      OfAttempt & {
        type: 'reported'
        invocation: StepInvocationState
        /** The size of the output as JSON. */
        bytes: number
        cause: Cause | null
      })
  /** The step could not be started, and a retry would not help. */
  | (Stamp & OfAttempt & { type: 'refused'; cause: Cause })
  /** The list of the step has so many items. */
  | (Stamp & OfAttempt & { type: 'counted'; count: number })
  /** The step waits from now on. */
  | (Stamp & OfAttempt & { type: 'waits'; awaits?: AwaitedEvent })
  /** The condition of the step does not hold. */
  | (Stamp & OfAttempt & { type: 'leftOut' })
  /** The output was rendered. */
  | (Stamp & { type: 'rendered' })
  /** The output could not be rendered or stored. */
  | (Stamp & { type: 'renderingFailed'; cause: Cause })
  | (Stamp & { type: 'cancel' })
  /** A user resolves a step or retries it. `attempt`: whose outcome that is; omitted: the current one's. */
  | (Stamp & {
      type: 'resolveUnknown'
      stepId: string
      attempt?: number
      outcome: 'succeeded' | 'failed' | 'retry'
      bytes: number
    })
  | (Stamp & { type: 'resume' })

export interface WorkflowRunInput {
  steps: readonly PlannedStep[]
  /** The size of the params as JSON. */
  bytes: number
  /** Whether the workflow has an output. */
  hasOutput: boolean
  at: number
}
