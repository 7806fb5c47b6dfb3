/** The few words that every statechart shares. Machines are pure: they import nothing but XState and each other. */

/** An action that is only a name: a machine asks for it, the runtime commits the effect, the area carries it out. */
export const effect = () => {}

/** What the runtime stamps on every event, so that machines need neither a clock nor dice. */
export interface Stamp {
  /** When the event was decided, epoch milliseconds. */
  at: number
  /** A number drawn from [0, 1), for jitter. */
  chance: number
}

/** What the runtime stamps on an event besides, where it is a deadline. */
export interface DeadlineStamp {
  /** How long ago it was due, in milliseconds: nobody was there to see it, or the clock was set. */
  lateMs?: number
}

/** Why something ended or was refused: a stable code and a plain sentence. */
export interface Cause {
  code: string
  message: string
}

/**
 * A refusal that a state declares in its `meta` for an event that it has no row for, or none that fits, when the general answer
 * (409 with the current state) is not the right one.
 */
export interface Refusal {
  status: 400 | 402 | 403 | 404 | 409 | 422
  code: string
  message: string
  /** Told in the details, where the code alone does not say what stands in the way. */
  conflictReason?: string
  /** A field of the context: the refusal is told where that is true. Of several the first one is told that fits. */
  when?: string
  /** A field of the event: the refusal is told unless that is true. */
  unless?: string
}

/** How an actor may begin: what has to hold for it. */
export interface Birth {
  /** A guard of the statechart; it sees the context that the actor would begin with. Left out: nothing has to hold. */
  guard?: string
  /** What is told when the guard does not hold. */
  refuses?: readonly Refusal[]
}

/**
 * The `meta` of a state: refusals by event name. That of the statechart itself: creation events by what the journal
 * calls them.
 */
export interface StateMeta {
  refuses?: Record<string, Refusal | readonly Refusal[]>
  /** Left out: the actor begins by `create`. */
  births?: Record<string, Birth>
}
