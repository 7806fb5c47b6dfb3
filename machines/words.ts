/** Types shared by all statecharts. Machines are pure: they import only XState and each other. */

/**
 * An action without implementation: the machine requests it, the runtime commits the effect, and the area executes it.
 */
export const effect = () => {}

/** Added to every event by the runtime, so that machines need neither a clock nor random numbers. */
export interface Stamp {
  /** When the event was processed, epoch milliseconds. */
  at: number
  /** A random number in [0, 1), for jitter. */
  chance: number
}

/** Added by the runtime to deadline events. */
export interface DeadlineStamp {
  /** How late the deadline was processed, in milliseconds, because of a downtime or a clock change. */
  lateMs?: number
}

/** A deadline that is later than this passed while the server was down, and says nothing about the work that it limits. */
const missedMs = 10_000
export const isMissed = ({ lateMs = 0 }: Stamp & DeadlineStamp): boolean => lateMs > missedMs

/** The reason for an end or a refusal: an error code and a message. */
export interface Cause {
  code: string
  message: string
}

/**
 * A refusal that a state declares in its `meta` for an event without a matching transition, in place of the general
 * answer (409 with the current state).
 */
export interface Refusal {
  status: 400 | 402 | 403 | 404 | 409 | 422
  code: string
  message: string
  /** Added to the details if the code alone does not explain the conflict. */
  conflictReason?: string
  /** A context field that must be true for the refusal to apply. The first matching refusal applies. */
  when?: string
  /** An event field that must be false for the refusal to apply. */
  unless?: string
}

/** A precondition of creating an actor. */
export interface Creation {
  /** A guard, which sees the initial context. Omitted: no precondition. */
  guard?: string
  /** The refusals if the guard is false. */
  refuses?: readonly Refusal[]
}

/** The `meta` of a state: refusals by event name. The `meta` of the statechart: creation events by journal name. */
export interface StateMeta {
  refuses?: Record<string, Refusal | readonly Refusal[]>
  /** Omitted: the actor is created by `create`. */
  creations?: Record<string, Creation>
}
