/**
 * Sends due mails after the commit that requested them. An unreachable or slow mail server delays only the mails of its own
 * lane. Failed mails are retried for some hours, also after a crash.
 */
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Members } from '../members/members.ts'
import type { Logger } from '../operating/logger.ts'
import type { Clock } from '../time/clock.ts'
import { minuteMs } from '../time/durations.ts'
import { Poller } from '../time/poller.ts'
import { type Mail, MailRefused, type Post } from './smtp.ts'

/** Delays from the start of attempts 1, 2 … to the next one, longer than any attempt. Then the mail is given up. */
const backOffMs = [1.5, 5, 15, 60, 180, 360].map((minutes) => minutes * minuteMs)
/** Mails of one lane that are sent in parallel. */
const atOnceMax = 2
/** The longest interval between two looks if servers share the store: a server that has died wakes no other one. */
const lookAgainMs = minuteMs

/** A due mail. */
export interface Outgoing {
  id: string
  /** Attempts so far. */
  attempts: number
  compose(): Mail | Unsendable
}

/** The mail is obsolete. */
export interface Unsendable {
  /** The reason for the log: the rest of a sentence. */
  because: string
}

/** The store of one kind of mail. */
export interface MailSource {
  /** What it is about, for the log. */
  name: string
  due(now: number, limit: number): Promise<Outgoing[]>
  /** When the next mail is due; undefined if there is none. */
  nextAt(now: number): Promise<number | undefined>
  /** Claims one attempt; `nextAt` is null for the last. Fails with `StaleWrite` if the mail is obsolete. */
  take(mail: Outgoing, nextAt: number | null): Write
  settle(mail: Outgoing): Write
}

interface LaneParts {
  store: Store
  clock: Clock
  logger: Logger
  members: Pick<Members, 'isShared' | 'onChange'>
  post: Post
  source: MailSource
}

export class Lane {
  readonly #poller: Poller
  /** By the mail's id. */
  readonly #underWay = new Map<string, Promise<void>>()
  #unsubscribe = () => {}

  constructor(private readonly parts: LaneParts) {
    this.#poller = new Poller(parts.clock, () => this.#look())
  }

  /** A mail is due now. */
  wake = (): void => {
    if (this.#poller.running) void this.#poller.now()
  }

  /** Returns before the due mails are sent. */
  start(): void {
    this.#unsubscribe = this.parts.members.onChange(this.wake)
    void this.#poller.start()
  }

  /** Starts no more mails; resolves when those in progress are done. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#poller.stop()
    await Promise.all(this.#underWay.values())
  }

  async #look(): Promise<number> {
    const { source, clock, logger, members } = this.parts
    const latestAt = () => (members.isShared ? clock.now() + lookAgainMs : Number.POSITIVE_INFINITY)
    try {
      while (this.#poller.running) {
        const free = atOnceMax - this.#underWay.size
        // the end of each polls again
        if (free === 0) break
        const due = await source.due(clock.now(), atOnceMax)
        // a mail in progress is due again if the clock jumped: its end polls again
        const idle = due.filter(({ id }) => !this.#underWay.has(id)).slice(0, free)
        for (const mail of idle) if (await this.#take(mail)) this.#begin(mail)
        if (idle.length > 0) continue
        if (due.length > 0) break
        const nextAt = await source.nextAt(clock.now())
        if (nextAt === undefined) break
        if (nextAt > clock.now()) return Math.min(nextAt, latestAt())
      }
      return latestAt()
    } catch (error) {
      logger.error({ err: error, mails: source.name }, 'mails could not be looked up')
      return clock.now() + minuteMs
    }
  }

  #begin(mail: Outgoing): void {
    const sending = this.#send(mail)
      .catch((error: unknown) =>
        this.parts.logger.error({ err: error, mail: mail.id }, 'a mail could not be processed'),
      )
      .finally(() => {
        this.#underWay.delete(mail.id)
        this.wake()
      })
    this.#underWay.set(mail.id, sending)
  }

  /** Claims the attempt. It becomes due again later, in case this process dies. */
  async #take(mail: Outgoing): Promise<boolean> {
    const { store, clock, source } = this.parts
    const backOff = backOffMs[mail.attempts]
    try {
      await store.commit([source.take(mail, backOff === undefined ? null : clock.now() + backOff)])
      return true
    } catch (error) {
      // withdrawn, replaced or used at the same time
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
