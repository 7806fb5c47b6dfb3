/** Limits, context and events of an agent run. Source: requirement 3, "Agent Run lifecycle states"; contract 5, 9. */
import type { Cause, DeadlineStamp, Stamp } from '../words.ts'
import type { RunBudget, Spent, Used } from './budget.ts'

/** Time limits in milliseconds, from the configuration. */
export interface RunLimits {
  /** First back-off after a lost attempt; doubles up to `backOffMaxMs`, with full jitter. */
  backOffMs: number
  backOffMaxMs: number
  /** The time after which a queued run expires. */
  queueTtlMs: number
  /** The time after which a waiting run expires. */
  awaitTtlMs: number
  /** The time limit of `acquiring` and of `starting`. */
  handoffMs: number
  /** The machine time of all attempts of a chain. */
  activeLimitMs: number
  /** The time for the runner's final report after a cancel. */
  cancelGraceMs: number
}

/** Contract 9, "Configuration": the defaults. */
export const defaultRunLimits: RunLimits = {
  backOffMs: 1_000,
  backOffMaxMs: 60_000,
  queueTtlMs: 86_400_000,
  awaitTtlMs: 604_800_000,
  handoffMs: 60_000,
  activeLimitMs: 3_600_000,
  cancelGraceMs: 30_000,
}

/** What ends by itself: the run of another Agent, a worker's call, or one that the server makes. */
export type ServerWork = 'agentRun' | 'worker' | 'operation'

/** A result that the run waits for, of an interactive tool or an external delegate. */
export interface PendingInput {
  kind: 'tool' | 'delegate'
  toolName: string
  toolCallId: string
  input: unknown
  /** The invocation of a call whose result the server itself reports. */
  invocationId?: string
  /** The approval that such a call waits for. */
  approvalId?: string
  /** What such a call waits for if there is no approval, or no longer; omitted: the run of another Agent. */
  waitsFor?: ServerWork
  /** The workflow run of a call whose result the server itself reports. */
  workflowRunId?: string
}

/** The id of the work whose result the server reports; undefined: the result comes from outside. */
export const reportedBy = ({ invocationId, workflowRunId }: PendingInput): string | undefined =>
  invocationId ?? workflowRunId

/** The call once its approval was decided: nobody is asked any more. */
export const decided = ({ approvalId: _, ...call }: PendingInput, waitsFor: ServerWork): PendingInput => ({
  ...call,
  waitsFor,
})

/** A message that waits until the run has ended, and then begins a turn. Its content is in the store. */
export interface QueuedInput {
  /** 1, 2, 3 … within the run. */
  inputId: number
  /** When it was accepted, in epoch milliseconds. */
  at: number
  /** The beginning of its text, at most `queuedQueryMax` characters; null if there are only attachments. */
  query: string | null
}

/** The most waiting messages. */
export const queuedInputsMax = 16
export const queuedQueryMax = 200
/** The largest conversation, attachments included, in MiB. */
export const conversationMebibytesMax = 28

export type StopReason = 'end_turn' | 'max_steps' | 'max_output_tokens' | 'content_filter'

/** The machine slot of an attempt. The fencing token increases with every lease. */
export interface HeldLease {
  attemptId: string
  machine: string
  /** Absent in attempts leased before runner pools were introduced. */
  runner?: LeasingRunner
  fencingToken: number
}

/** The pool and the token of the attempt's runner; null: the embedded runner. */
export interface LeasingRunner {
  poolId: string
  tokenId: string | null
}

export interface RunContext {
  maxRetries: number
  retriesLeft: number
  /** 0 at admission, incremented per lease, never reset. */
  attempt: number
  /** 1 at admission, incremented per accepted continue: each input is applied once per chain. */
  chain: number
  lease: HeldLease | null
  /** The final report of the latest attempt, to answer a repeated report. */
  settled: { attemptId: string; reportDigest: string } | null
  /** Machine time of this chain's attempts, up to `activeSince`. */
  activeMs: number
  activeSince: number | null
  /** The earliest time of the next lease. */
  availableAt: number
  /** How long after its admission the first lease may come. Absent: at once. */
  delayMs?: number
  awaiting: PendingInput[]
  /** Whether the attempt's runner must stop; sent in every heartbeat's answer. */
  stopRequested: boolean
  cause: Cause | null
  stopReason: StopReason | null
  startedAt: number | null
  endedAt: number | null
  /** The content was removed at the end of its retention: the run cannot be continued. */
  contentRemoved: boolean
  /** The operation call that started the run was aborted, and the run with it. Absent in older runs. */
  callCanceled?: boolean
  /** The waiting messages, in the order of their turns. Absent while no message has ever waited. */
  queuedInputs?: QueuedInput[]
  /** The number of messages that have waited so far. */
  queuedSoFar?: number
  /** The limits of the run. Absent: unlimited. */
  budget?: RunBudget
  /** The use of its model steps. Absent if it is not counted. */
  spent?: Spent
  /** Whether four fifths of the budget have been used. */
  budgetWarned?: boolean
}

/** The input of a new run. */
export interface RunInput {
  maxRetries: number
  at: number
  budget?: RunBudget
  /** Present if model steps are counted from the beginning. */
  spent?: Spent
  /** The earliest time of the first lease; omitted: now. */
  startAt?: number
}

/** A runner's report carries the fencing token of its lease; an outdated token is rejected. */
type Fenced = Stamp & { fencingToken: number }
type Final = Fenced & { reportDigest: string }

/** How long an attempt has held its machine, as observed between heartbeats. */
export interface WatchedTime {
  fencingToken: number
  heldMs: number
}

/** The server's facts about a start or a continue. Missing facts count as false. */
export interface Admission {
  /** The credential has the permission in the run's scope. */
  authorized?: boolean
  /** The organization has minutes left in its billing period. */
  budgetLeft?: boolean
  /** The organization is below its limits on active and stored runs. */
  roomLeft?: boolean
  /** The conversation is below its limit with what the start or the message adds. */
  conversationFits?: boolean
}

/** `watched` is set for an attempt observed by this process. */
export type RunEvent = RunMove & DeadlineStamp & { watched?: WatchedTime }

type RunMove =
  /** `next`: the numbers of the attempt and the chain that the server has prepared; omitted: whichever is next. */
  | (Stamp & {
      type: 'leaseRequested'
      attemptId: string
      machine: string
      runner?: LeasingRunner
      next?: { attempt: number; chain: number }
    })
  | (Fenced & { type: 'leased'; attemptId: string })
  | (Fenced & { type: 'booted' })
  /**
   * `used`: the use of an ended model call. `begins`: a model step, by the currency of its price; null if it has no
   * price.
   */
  | (Fenced & {
      type: 'progressed'
      reports: readonly unknown[]
      used?: Used
      begins?: { currency: string | null }
    })
  /** A model call has ended after its attempt. */
  | (Stamp & { type: 'metered'; used: Used })
  | (Final & { type: 'completed'; stopReason: StopReason })
  | (Final & { type: 'failed'; cause: Cause })
  | (Final & { type: 'toolResultNeeded'; awaiting: PendingInput[] })
  | (Final & { type: 'delegateResultNeeded'; awaiting: PendingInput[] })
  | (Final & { type: 'reported' })
  | (Fenced & {
      type: 'attemptLost'
      cause: Cause
      drained?: boolean
      retryAfterMs?: number
      reportDigest?: string
      /** The last heartbeat, if the attempt ended unobserved: later time is not counted. */
      heldUntil?: number
    })
  | (Stamp & { type: 'delegateResult'; toolCallId: string })
  /** A call that waited for an approval got it, and is being made. */
  | (Stamp & { type: 'callApproved'; toolCallId: string; invocationId: string; waitsFor: ServerWork })
  /** A call that waited for an approval has ended. */
  | (Stamp & { type: 'toolResult'; toolCallId: string })
  /** `inputId`: the waiting message that begins the turn. `inTurn`: the message comes after those that wait. */
  | (Stamp &
      Admission & { type: 'continue'; maxRetries?: number; answered?: string[]; inputId?: number; inTurn?: boolean })
  /**
   * A message that waits for its turn, behind the others or, in an ended run, before them; `query` is the beginning of
   * its text.
   */
  | (Stamp & { type: 'enqueue'; query: string | null; first?: boolean })
  /** The start of the run was put off, and is not any more. */
  | (Stamp & { type: 'startNow' })
  /**
   * `withCall`: the call that started the run is canceled. `first`: the run continues with this message, before those
   * that wait. `force`: the run does not wait for the runner's final report.
   */
  | (Stamp & { type: 'cancel'; withCall?: boolean; first?: { query: string | null }; force?: boolean })
