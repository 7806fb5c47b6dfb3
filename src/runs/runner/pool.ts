/**
 * A runner's slots: one loop that requests leases while slots are free, and the concurrent attempts. Source: contract
 * 5, "A machineId holds one lease per slot"; contract 9, "SIGTERM" and `TROUPE_RUNNER_SLOTS`.
 */
import { Repeats } from '../../platform/repeats.ts'
import { pause } from '../../platform/time/pause.ts'
import { type AttemptEnd, runAttempt } from './attempt.ts'
import type { AttemptChannel, RunnerTransport } from './protocol/protocol.ts'
import { type RunnerParts, type RunnerServices, runnerServices } from './services.ts'

interface RunnerPoolOptions extends RunnerParts {
  transport: RunnerTransport
  /** The maximum number of concurrent attempts. */
  slots: number
  machineId: string
  /** How long a lease request may wait, at most 25 seconds. */
  waitSeconds?: number
  /** Called when the server rejects the runner permanently; the loop has ended. */
  onRefused?(error: RunnerRefused): void
}

interface RunnerStatistics {
  slots: number
  running: number
  /** Ended attempts since the start, by outcome. */
  ended: Record<AttemptEnd, number>
  /** Whether the last lease request failed. */
  failing: boolean
}

/** The server rejects this runner; retrying is pointless. */
export class RunnerRefused extends Error {
  override readonly name = 'RunnerRefused'
}

const firstPauseMs = 50
const pauseMsMax = 5_000
/** After an empty answer sooner than this the runner itself waits. */
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
  readonly #repeats: Repeats

  constructor(private readonly options: RunnerPoolOptions) {
    this.#repeats = new Repeats(options.clock)
    this.#services = runnerServices(options)
  }

  /** Starts to request leases. */
  start(): void {
    this.#loop ??= this.#ask()
  }

  statistics(): RunnerStatistics {
    return { slots: this.options.slots, running: this.#running, ended: { ...this.#ended }, failing: this.#failing }
  }

  /**
   * Stops requesting leases and hands back running attempts, each at its next safe point. Resolves once none is
   * running, or on timeout with the number of attempts abandoned to their leases.
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
        if (this.#failing) log.info({ machineId }, 'lease requests succeed again')
        this.#failing = false
        if (channel) void this.#run(channel)
        pauseMs = firstPauseMs
        if (channel || clock.now() - askedAt >= emptyAnswerMsMin) continue
      } catch (error) {
        if (signal.aborted) break
        this.#failing = true
        if (error instanceof RunnerRefused) {
          log.error({ err: error, machineId }, 'the server rejected the runner')
          this.options.onRefused?.(error)
          break
        }
        this.#repeats.tell(error, (repeated) =>
          log.warn({ err: error, machineId, ...repeated }, 'a lease request failed'),
        )
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
      this.options.log.error({ err: error, attemptId: channel.lease.attemptId }, 'an attempt failed unexpectedly')
    } finally {
      this.#running--
      channel.close?.()
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
