/**
 * Caches authentication answers. An answer is valid for at most two seconds and never beyond the credential's end; within that
 * time it costs one map look-up. Known changes invalidate it at once.
 */
import type { Clock } from '../../platform/time/clock.ts'
import type { Change } from './revocations.ts'

/** How long an answer is valid, unless a change invalidates it. */
const answerMs = 2_000

/** The ids that changes are matched with. */
interface Subject {
  organizationId: string | null
  userId: string | null
  credentialId: string
}

export interface Answer<Known> {
  known: Known
  /** Expiry of the credential, epoch milliseconds. */
  endsAt: number
}

interface Kept<Known> extends Answer<Known> {
  checkedAt: number
}

interface AnswersOptions {
  clock: Pick<Clock, 'now'>
  /** The most answers kept. */
  sizeMax: number
  /** Whether changes by other processes are received; while they are not, nothing is cached. */
  isHearing(): boolean
}

export class Answers<Known extends Subject> {
  /** In the order of insertion. */
  readonly #kept = new Map<string, Kept<Known>>()
  /** Running look-ups, which requests with the same credential share. */
  #lookUps = new Map<string, Promise<Known | undefined>>()

  constructor(private readonly options: AnswersOptions) {}

  /** The answer if it is still valid. */
  get(key: string): Known | undefined {
    const answer = this.#kept.get(key)
    if (answer === undefined) return undefined
    const now = this.options.clock.now()
    // a clock that was set back must not extend answers
    const isGood = now < answer.checkedAt + answerMs && now < answer.endsAt && now >= answer.checkedAt
    return isGood && this.options.isHearing() ? answer.known : undefined
  }

  /** Looks up, or joins a running look-up unless that may have missed a change. */
  ask(key: string, lookUp: () => Promise<Answer<Known> | undefined>): Promise<Known | undefined> {
    const underWay = this.options.isHearing() ? this.#lookUps.get(key) : undefined
    return underWay ?? this.#begin(key, lookUp)
  }

  /**
   * Invalidates the answers that a committed change may affect. Running look-ups may have read the old state, so no further
   * request joins them.
   */
  forget({ organizationId, userId, credentialId }: Change): void {
    for (const [key, { known }] of this.#kept) {
      const touched =
        (organizationId === undefined || known.organizationId === organizationId) &&
        (userId === undefined || known.userId === userId) &&
        (credentialId === undefined || known.credentialId === credentialId)
      if (touched) this.#kept.delete(key)
    }
    this.#lookUps = new Map()
  }

  get size(): number {
    return this.#kept.size
  }

  #begin(key: string, lookUp: () => Promise<Answer<Known> | undefined>): Promise<Known | undefined> {
    const lookUps = this.#lookUps
    const checkedAt = this.options.clock.now()
    const asked = lookUp()
      .then((answer) => {
        // after a change this answer may be outdated: it is used for the waiting requests but not cached
        if (lookUps === this.#lookUps) this.#keep(key, answer && { ...answer, checkedAt })
        return answer?.known
      })
      .finally(() => {
        if (lookUps.get(key) === asked) lookUps.delete(key)
      })
    lookUps.set(key, asked)
    return asked
  }

  #keep(key: string, answer: Kept<Known> | undefined): void {
    this.#kept.delete(key)
    if (!answer || !this.options.isHearing()) return
    this.#kept.set(key, answer)
    if (this.#kept.size <= this.options.sizeMax) return
    const oldest = this.#kept.keys().next().value
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
