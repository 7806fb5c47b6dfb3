/**
 * The vocabulary of an agent run: how long things may take, what it remembers, what it hears.
 * Source: requirement 3, "Agent Run lifecycle states"; contract 5, 9.
 */
import type { Cause, DeadlineStamp, Stamp } from './words.ts'

/** How long things may take, all in milliseconds. From the configuration; never from a request. */
export interface RunLimits {
  /** First back-off after a lost attempt; doubles up to `backOffMaxMs`, with full jitter. */
  backOffMs: number
  backOffMaxMs: number
  /** A run that nobody leases for this long expires. */
  queueTtlMs: number
  /** A run that waits for a result for this long expires. */
  awaitTtlMs: number
  /** Progress out of `acquiring` and `starting`, each. */
  handoffMs: number
  /** Time that the attempts of one chain may hold machines. */
  activeLimitMs: number
  /** How long a runner has for its final report after a cancel. */
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

/** A result that the run waits for: of an interactive tool, or of an external delegate. */
export interface PendingInput {
  kind: 'tool' | 'delegate'
  toolName: string
  toolCallId: string
  input: unknown
  /** Of a call whose outcome the server tells, and nobody else. */
  invocationId?: string
  /** Of such a call that waits for an approval. */
  approvalId?: string
}

export type StopReason = 'end_turn' | 'max_steps' | 'max_output_tokens' | 'content_filter'

/** The machine slot that an attempt holds. The fencing token grows with every lease. */
export interface HeldLease {
  attemptId: string
  machine: string
  /** Left out of attempts that were leased before there were pools of runners. */
  runner?: LeasingRunner
  fencingToken: number
}

/** The pool whose runner has the attempt, and the token that it has come with; null: the server's own. */
export interface LeasingRunner {
  poolId: string
  tokenId: string | null
}

export interface RunContext {
  maxRetries: number
  retriesLeft: number
  /** 0 at admission, +1 per lease, never reset. */
  attempt: number
  /** 1 at admission, +1 per accepted continue: an input is applied once per chain. */
  chain: number
  lease: HeldLease | null
  /** The report that settled the latest attempt, so that the same report again gets the same answer. */
  settled: { attemptId: string; reportDigest: string } | null
  /** Time that attempts of this chain held machines, up to `activeSince`. */
  activeMs: number
  activeSince: number | null
  /** The earliest moment of the next lease. */
  availableAt: number
  awaiting: PendingInput[]
  /** Whether the attempt's runner is to wind down; told with every heartbeat's answer. */
  stopRequested: boolean
  cause: Cause | null
  stopReason: StopReason | null
  startedAt: number | null
  endedAt: number | null
  /** What it was given and gave had its time: there is nothing left to go on from. */
  contentRemoved: boolean
  /** The call of an operation that had started it was aborted, and the run with it. Left out of older runs. */
  callCanceled?: boolean
}

/** Every fact that a runner reports carries the fencing token of its lease; an old one is refused. */
type Fenced = Stamp & { fencingToken: number }
type Final = Fenced & { reportDigest: string }

/** For how long an attempt has held its machine, as far as somebody has watched: counted between signs of life. */
export interface WatchedTime {
  fencingToken: number
  heldMs: number
}

/**
 * What the server knows of whoever wants a run started or continued. No sender chooses it, and what is not known does not
 * hold.
 */
export interface Admission {
  /** The credential may do this where the run is. */
  authorized?: boolean
  /** The organization has minutes left in its billing period. */
  budgetLeft?: boolean
  /** The organization may have more runs alive, and more stored of them. */
  roomLeft?: boolean
}

/** `watched` is of the attempt that somebody watches, and left out where nobody does. */
export type RunEvent = RunMove & DeadlineStamp & { watched?: WatchedTime }

type RunMove =
  | (Stamp & { type: 'leaseRequested'; attemptId: string; machine: string; runner?: LeasingRunner })
  | (Fenced & { type: 'leased'; attemptId: string })
  | (Fenced & { type: 'booted' })
  | (Fenced & { type: 'progressed'; reports: readonly unknown[] })
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
      /** Its last sign of life, where nobody was there to see it go: time after that is not its own. */
      heldUntil?: number
    })
  | (Stamp & { type: 'delegateResult'; toolCallId: string })
  /** A call that waited for an approval has come to its end. */
  | (Stamp & { type: 'toolResult'; toolCallId: string })
  | (Stamp & Admission & { type: 'continue'; maxRetries?: number; answered?: string[] })
  /** `withCall`: because the call that had started the run is aborted. */
  | (Stamp & { type: 'cancel'; withCall?: boolean })
