/**
 * The vocabulary of a workflow run: its states and those of its steps, what it remembers, what it hears.
 * Source: contract 6, `WorkflowRun`.
 */
import type { Cause, Stamp } from './words.ts'

/** Of the params and all outputs of one run, as JSON. Source: the body limit of contract 0. */
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
  'succeeded',
  'failed',
  'unknown',
  'skipped',
  'canceled',
] as const
export type WorkflowStepState = (typeof workflowStepStates)[number]

/** What the definition says of a step, as far as it is decided on. */
export interface PlannedStep {
  id: string
  /** `<definition>.<operation>` */
  operation: string
  /** Places of the steps that it waits for. */
  after: readonly number[]
  /** The first one included. */
  maxAttempts: number
  backoffMs: number
  /** Whether those that wait for it go on when it has failed. */
  continues: boolean
}

export interface StepProgress {
  state: WorkflowStepState
  /** Since the run was started; each one is another invocation. */
  attempts: number
  /** Since the start, the last resume, or the last `retry`: what `maxAttempts` limits. */
  tries: number
  /** While it waits for another attempt. */
  retryAt: number | null
  error: Cause | null
  startedAt: number | null
  endedAt: number | null
}

/** An attempt of a step that is to be begun, or to be asked for again. */
export interface StepToBegin {
  stepId: string
  attempt: number
}

export interface WorkflowRunContext {
  plan: readonly PlannedStep[]
  /** In the order of the plan. */
  steps: readonly StepProgress[]
  /** What the last event has made due. */
  due: readonly StepToBegin[]
  nextRetryAt: number | null
  /** Why no step begins any more: until somebody resumes, or for good. */
  stopped: 'unknown' | 'canceled' | null
  output: 'none' | 'wanted' | 'rendered' | 'failed'
  /** Of the params and all outputs so far. */
  bytes: number
  /** Why it has failed, or stands still. */
  cause: Cause | null
  endedAt: number | null
}

/** How an invocation of a step stands. */
export type StepInvocationState = 'pending_approval' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'

/** The attempt of a step that something is about. */
interface OfAttempt {
  stepId: string
  attempt: number
}

export type WorkflowRunEvent =
  /** The invocation of a step stands so now; the same may be told twice, or late. */
  | (Stamp &
      OfAttempt & {
        type: 'reported'
        invocation: StepInvocationState
        /** Of the output, as JSON. */
        bytes: number
        cause: Cause | null
      })
  /** The step could not be begun, and trying again would not help. */
  | (Stamp & OfAttempt & { type: 'refused'; cause: Cause })
  /** The output of the run is there. */
  | (Stamp & { type: 'rendered' })
  /** The run has no output that could be kept. */
  | (Stamp & { type: 'renderingFailed'; cause: Cause })
  | (Stamp & { type: 'cancel' })
  /** Somebody knows how a step has ended, or wants it done again. */
  | (Stamp & { type: 'resolveUnknown'; stepId: string; outcome: 'succeeded' | 'failed' | 'retry'; bytes: number })
  | (Stamp & { type: 'resume' })

export interface WorkflowRunInput {
  steps: readonly PlannedStep[]
  /** Of the params, as JSON. */
  bytes: number
  /** Whether it gives an output of its own. */
  hasOutput: boolean
  at: number
}
