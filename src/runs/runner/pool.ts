/**
 * A runner's slots: one loop that asks for work while slots are free, and the attempts that run at once.
 * Source: contract 5, "A machineId holds one lease per slot"; contract 9, "SIGTERM" and `TROUPE_RUNNER_SLOTS`.
 */
import { pause } from '../../platform/time/pause.ts'
import { type AttemptEnd, runAttempt } from './attempt.ts'
import type { AttemptChannel, RunnerTransport } from './protocol/protocol.ts'
import { type RunnerParts, type RunnerServices, runnerServices } from './services.ts'

export interface RunnerPoolOptions extends RunnerParts {
  transport: RunnerTransport
  /** How many attempts run at once. */
  slots: number
  machineId: string
  /** How long one request for work may wait, at most 25. */
  waitSeconds?: number
  /** Asking for work is refused for good, and the loop has ended. */
  onRefused?(error: RunnerRefused): void
}

export interface RunnerStatistics {
  slots: number
  running: number
  /** Attempts that have ended since the start, by how. */
  ended: Record<AttemptEnd, number>
  /** Whether the last request for work failed. */
  failing: boolean
}

/** The server does not take this runner; asking again would change nothing. */
export class RunnerRefused extends Error {
  override readonly name = 'RunnerRefused'
}

const firstPauseMs = 50
const pauseMsMax = 5_000
/** An empty answer that comes sooner was not waited for; then it's the runner that waits. */
const emptyAnswerMsMin = 20

export class RunnerPool {
  readonly #services: RunnerServices
  readonly #leasing = new AbortController()
  readonly #handBack = new AbortController()
  readonly #ended: RunnerStatistics['ended'] = {
    completed: 0,
    failed: 0,
    canceled: 0,
    awaitingToolResult: 0,
    awaitingDelegateResult: 0,
    drained: 0,
    lost: 0,
  }
  #running = 0
  #failing = false
  #loop: Promise<void> | undefined
  #wake: (() => void) | undefined

  constructor(private readonly options: RunnerPoolOptions) {
    this.#services = runnerServices(options)
  }

  /** Begins to ask for work. */
  start(): void {
    this.#loop ??= this.#ask()
  }

  statistics(): RunnerStatistics {
    return { slots: this.options.slots, running: this.#running, ended: { ...this.#ended }, failing: this.#failing }
  }

  /**
   * Asks for no more work and hands back what is running, each attempt at its next safe point. Resolves once nothing
   * runs any more, or after the time-out with the number of attempts that are left to their leases.
   */
  async drain(timeoutMs: number): Promise<{ abandoned: number }> {
    this.#leasing.abort()
    this.#handBack.abort()
    this.#notify()
    let timer: { cancel(): void } | undefined
    const timedOut = new Promise<void>((resolve) => {
      timer = this.options.clock.after(timeoutMs, resolve)
    })
    await Promise.race([this.#idle(), timedOut])
    timer?.cancel()
    return { abandoned: this.#running }
  }

  async #idle(): Promise<void> {
    await this.#loop
    while (this.#running > 0) await this.#change()
  }

  async #ask(): Promise<void> {
    const { transport, machineId, slots, clock, log, waitSeconds = 25 } = this.options
    const { signal } = this.#leasing
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      if (this.#running >= slots) {
        await this.#change()
        continue
      }
      const askedAt = clock.now()
      try {
        const channel = await transport.lease({ machineId, slots, waitSeconds }, signal)
        if (this.#failing) log.info({ machineId }, 'the runner can ask for work again')
        this.#failing = false
        if (channel) void this.#run(channel)
        pauseMs = firstPauseMs
        if (channel || clock.now() - askedAt >= emptyAnswerMsMin) continue
      } catch (error) {
        if (signal.aborted) break
        this.#failing = true
        if (error instanceof RunnerRefused) {
          log.error({ err: error, machineId }, 'the runner was refused')
          this.options.onRefused?.(error)
          break
        }
        log.warn({ err: error, machineId }, 'the runner could not ask for work')
        pauseMs = Math.min(pauseMs * 2, pauseMsMax)
      }
      await pause(clock, pauseMs, signal)
    }
  }

  async #run(channel: AttemptChannel): Promise<void> {
    this.#running++
    try {
      this.#ended[await runAttempt(channel, this.#services, this.#handBack.signal)]++
    } catch (error) {
      this.#ended.lost++
      this.options.log.error({ err: error, attemptId: channel.lease.attemptId }, 'an attempt broke down')
    } finally {
      this.#running--
      this.#notify()
    }
  }

  /** Waits for the next attempt to end, or for the drain. */
  #change(): Promise<void> {
    const before = this.#wake
    return new Promise((resolve) => {
      this.#wake = () => {
        before?.()
        resolve()
      }
    })
  }

  #notify() {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
