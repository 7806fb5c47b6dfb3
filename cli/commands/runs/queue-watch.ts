/** Says why a run that is followed stays in the queue. */
import type { Run, RunEvent } from '../../../sdk/src/index.ts'
import { time } from '../../terminal/text.ts'

/** A run that a runner could have taken for this long is asked why it waits. */
const patienceMs = 10_000

interface QueueWatchParts {
  run: Pick<Run, 'get'>
  signal: AbortSignal
  say(line: string): void
}

export class QueueWatch {
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly parts: QueueWatchParts) {}

  note(event: RunEvent): void {
    if (event.type !== 'run.transition') return
    this.stop()
    if (event.data.to === 'queued') this.#lookIn(patienceMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #lookIn(ms: number): void {
    // a run may be put off for longer than a timer can wait
    this.#timer = setTimeout(() => void this.#look(), Math.min(ms, 3_600_000))
  }

  async #look(): Promise<void> {
    const { run, signal, say } = this.parts
    const looking = this.#timer
    try {
      const { state, startAt, availableAt } = await run.get({ signal })
      // it has moved meanwhile
      if (this.#timer !== looking || state !== 'queued') return
      const leftMs = availableAt === undefined ? 0 : Date.parse(availableAt) - Date.now()
      if (leftMs <= 0) return say('… waits for a runner: all are busy, or none is connected')
      if (startAt !== undefined && leftMs > patienceMs) say(`… starts at ${time(startAt)}`)
      this.#lookIn(leftMs + patienceMs)
    } catch {
      // the stream of the run reports what is wrong
    }
  }
}
