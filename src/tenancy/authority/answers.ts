/**
 * Who calls, as it was looked up a moment ago. An answer is good for two seconds at most and never beyond the credential's
 * end; within that time it costs one look into a map. What is known to have changed is forgotten at once.
 */
import type { Clock } from '../../platform/time/clock.ts'
import type { Change } from './revocations.ts'

/** How long an answer is good for, unless something is known to have changed. */
const answerMs = 2_000

/** What changes are compared with. */
export interface Subject {
  organizationId: string | null
  userId: string | null
  credentialId: string
}

export interface Answer<Known> {
  known: Known
  /** When the credential ends, epoch milliseconds. */
  endsAt: number
}

interface Kept<Known> extends Answer<Known> {
  checkedAt: number
}

export interface AnswersOptions {
  clock: Pick<Clock, 'now'>
  /** How many answers are kept in mind. */
  sizeMax: number
  /** Whether changes made by other processes are heard of; while they are not, nothing is kept in mind. */
  isHearing(): boolean
}

export class Answers<Known extends Subject> {
  /** In the order in which they were given. */
  readonly #kept = new Map<string, Kept<Known>>()
  /** Look-ups under way: requests with the same credential wait for the same one. */
  #lookUps = new Map<string, Promise<Known | undefined>>()

  constructor(private readonly options: AnswersOptions) {}

  /** The answer if it is still good. */
  get(key: string): Known | undefined {
    const answer = this.#kept.get(key)
    if (answer === undefined) return undefined
    const now = this.options.clock.now()
    // a clock that was set back must not make answers live longer
    const isGood = now < answer.checkedAt + answerMs && now < answer.endsAt && now >= answer.checkedAt
    return isGood && this.options.isHearing() ? answer.known : undefined
  }

  /** Looks up, or waits for the look-up under way, unless that may have missed a change since it began. */
  ask(key: string, lookUp: () => Promise<Answer<Known> | undefined>): Promise<Known | undefined> {
    const underWay = this.options.isHearing() ? this.#lookUps.get(key) : undefined
    return underWay ?? this.#begin(key, lookUp)
  }

  /**
   * Forgets what a change may have touched; to be called once it is committed. Look-ups under way may have read what was
   * true before: nobody else joins them.
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
        // after a change this one may be outdated: good for those who wait for it, not for others
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
