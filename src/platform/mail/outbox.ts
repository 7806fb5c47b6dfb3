/**
 * Sends what is due, behind the commit of whatever asked for it. Nobody waits: a mail server that is away or slow delays
 * the mails of its own lane and nothing else. What could not be sent is tried again for some hours, also after a crash.
 */
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Logger } from '../operating/logger.ts'
import type { Clock } from '../time/clock.ts'
import { Poller } from '../time/poller.ts'
import { type Mail, MailRefused, type Post } from './smtp.ts'

const minute = 60_000
/** How long after the beginning of attempts 1, 2 … the next one is made: longer than any takes. Then the mail is given up. */
const backOffMs = [1.5, 5, 15, 60, 180, 360].map((minutes) => minutes * minute)
/** Mails of one lane that are sent at the same moment. */
const atOnceMax = 2

/** A mail that is due. */
export interface Outgoing {
  id: string
  /** Attempts so far. */
  attempts: number
  compose(): Mail | Unsendable
}

/** There is nothing to be sent any more. */
export interface Unsendable {
  /** Why, for the log: the rest of a sentence. */
  because: string
}

/** Where mails of one kind are stored. */
export interface MailSource {
  /** What it is about, for the log. */
  name: string
  due(now: number, limit: number): Promise<Outgoing[]>
  /** When the next one is due; undefined when there is none. */
  nextAt(now: number): Promise<number | undefined>
  /** Takes one attempt; `nextAt` is null when it is the last. Fails with `StaleWrite` when there is nothing to send. */
  take(mail: Outgoing, nextAt: number | null): Write
  settle(mail: Outgoing): Write
}

export interface LaneParts {
  store: Store
  clock: Clock
  logger: Logger
  post: Post
  source: MailSource
}

export class Lane {
  readonly #poller: Poller
  /** By the mail's id. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(private readonly parts: LaneParts) {
    this.#poller = new Poller(parts.clock, () => this.#look())
  }

  /** Something is due now. */
  wake = (): void => {
    if (this.#poller.running) void this.#poller.now()
  }

  /** Does not wait for what is due already. */
  start(): void {
    void this.#poller.start()
  }

  /** Begins no more mails; resolves when those under way are through. */
  async stop(): Promise<void> {
    await this.#poller.stop()
    await Promise.all(this.#underWay.values())
  }

  async #look(): Promise<number> {
    const { source, clock, logger } = this.parts
    try {
      while (this.#poller.running) {
        const free = atOnceMax - this.#underWay.size
        // the end of each looks again
        if (free === 0) break
        const due = await source.due(clock.now(), atOnceMax)
        // one under way is due again when the clock has jumped: its end looks again
        const idle = due.filter(({ id }) => !this.#underWay.has(id)).slice(0, free)
        for (const mail of idle) if (await this.#take(mail)) this.#begin(mail)
        if (idle.length > 0) continue
        if (due.length > 0) break
        const nextAt = await source.nextAt(clock.now())
        if (nextAt === undefined) break
        if (nextAt > clock.now()) return nextAt
      }
      return Number.POSITIVE_INFINITY
    } catch (error) {
      logger.error({ err: error, mails: source.name }, 'mails could not be looked up')
      return clock.now() + minute
    }
  }

  #begin(mail: Outgoing): void {
    const sending = this.#send(mail)
      .catch((error: unknown) => this.parts.logger.error({ err: error, mail: mail.id }, 'a mail was left as it is'))
      .finally(() => {
        this.#underWay.delete(mail.id)
        this.wake()
      })
    this.#underWay.set(mail.id, sending)
  }

  /** Whether the attempt is ours. Until its end it is due again later, in case this process does not come to it. */
  async #take(mail: Outgoing): Promise<boolean> {
    const { store, clock, source } = this.parts
    const backOff = backOffMs[mail.attempts]
    try {
      await store.commit([source.take(mail, backOff === undefined ? null : clock.now() + backOff)])
      return true
    } catch (error) {
      // withdrawn, replaced or used at this moment
      if (error instanceof StaleWrite) return false
      throw error
    }
  }

  async #send(mail: Outgoing): Promise<void> {
    const { store, logger, post, source } = this.parts
    const { id, attempts } = mail
    const about = { mail: id, about: source.name, attempt: attempts + 1 }
    const composed = mail.compose()
    if ('because' in composed) logger.warn(about, `a mail was given up: ${composed.because}`)
    else {
      try {
        await post.send(composed, id)
      } catch (error) {
        const isOver = error instanceof MailRefused || attempts === backOffMs.length
        logger.warn({ ...about, err: error }, isOver ? 'a mail was given up' : 'a mail could not be sent for now')
        if (!isOver) return
      }
    }
    await store.commit([source.settle(mail)])
  }
}
