/**
 * Sends the heartbeats of all attempts of a runner, on one timer. Source: design 4; contract 5, "a lease that is not
 * renewed".
 */
import type { Clock } from '../../platform/time/clock.ts'
import { type AttemptChannel, type Signal, StaleAttempt } from './protocol/protocol.ts'

const tickMsMax = 1_000
const tickMsMin = 5
/** A failed heartbeat is repeated after this fraction of the interval. */
const retriesPerBeat = 4

interface Beating {
  /** The number of steps that the attempt has started. */
  lastStepSequence(): number
  onSignal(signal: Signal): void
  /** Called when the lease has expired without an answer, or the server reports that the attempt is over. */
  onLost(): void
}

interface Beat extends Beating {
  channel: AttemptChannel
  everyMs: number
  dueAt: number
  expiresAt: number
  inFlight: boolean
}

export class Heartbeats {
  readonly #beats = new Set<Beat>()
  #armed = false
  #tickMs = tickMsMax

  constructor(private readonly clock: Clock) {}

  /** Sends heartbeats until the returned function is called. */
  track(channel: AttemptChannel, beating: Beating): () => void {
    const everyMs = channel.assignment.heartbeatMs
    const beat: Beat = {
      ...beating,
      channel,
      everyMs,
      dueAt: this.clock.now() + everyMs,
      expiresAt: Date.parse(channel.lease.expiresAt),
      inFlight: false,
    }
    this.#beats.add(beat)
    this.#tickMs = Math.max(tickMsMin, Math.min(this.#tickMs, everyMs / retriesPerBeat))
    this.#arm()
    return () => {
      this.#beats.delete(beat)
    }
  }

  /** The timer runs out instead of being stopped, so that short attempts do not restart it. */
  #arm() {
    if (this.#armed || this.#beats.size === 0) return
    this.#armed = true
    this.clock.after(this.#tickMs, () => {
      this.#armed = false
      if (this.#beats.size === 0) this.#tickMs = tickMsMax
      const now = this.clock.now()
      for (const beat of this.#beats) {
        if (now >= beat.expiresAt) this.#lose(beat)
        else if (now >= beat.dueAt && !beat.inFlight) void this.#send(beat)
      }
      this.#arm()
    })
  }

  async #send(beat: Beat) {
    beat.inFlight = true
    beat.dueAt = this.clock.now() + beat.everyMs
    try {
      const { expiresAt, signal } = await beat.channel.heartbeat({ lastStepSequence: beat.lastStepSequence() })
      if (!this.#beats.has(beat)) return
      beat.expiresAt = Date.parse(expiresAt)
      if (signal !== 'continue') beat.onSignal(signal)
    } catch (error) {
      // The lease may survive a missed heartbeat: retry until it has expired.
      if (error instanceof StaleAttempt) this.#lose(beat)
      else beat.dueAt = this.clock.now() + beat.everyMs / retriesPerBeat
    } finally {
      beat.inFlight = false
    }
  }

  #lose(beat: Beat) {
    if (this.#beats.delete(beat)) beat.onLost()
  }
}
