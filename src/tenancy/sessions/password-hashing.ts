/**
 * A bounded queue for password hashes. A hash costs 19 MiB and about 40 ms of a core, so a flood of sign-ins would starve
 * other requests: few are computed in parallel, few wait, and others get 503 before anything is counted or looked up. A
 * browser that has signed in to the account before precedes strangers, and displaces the last one if the queue is full.
 * Source: contract 1, "Session"; trust 2.7, "Passwords".
 */
import { availableParallelism } from 'node:os'
import { serviceUnavailable } from '../../platform/http/answers/errors.ts'

/** At most two; one core is left for other work if there are several. */
const atOnce = Math.max(1, Math.min(2, availableParallelism() - 1))
const waitingMax = 32
const retryAfterSeconds = 2

/** Parameters of hashes. Each hash includes its own, so that later changes do not invalidate it. */
export interface HashSettings {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  /** A hash of an unknown password with these parameters, compared if there is no such user. */
  ofNobody: string
}

/** OWASP's minimum for argon2id; about 40 ms in a thread of its own. */
export const owaspMinimum: HashSettings = {
  memoryCost: 19_456,
  timeCost: 2,
  ofNobody:
    '$argon2id$v=19$m=19456,t=2,p=1$xw0iXdy430EqY/P0ywezT09nXf2xFHog9c1CVtKm/6I$/tQfW5zAcgpDy6Pg2dpQ2viHp9yoxHgvxPYPOW1k8UY',
}

const busy = () =>
  serviceUnavailable('Too many passwords are being checked at the moment; try again shortly.', retryAfterSeconds)
/** For a request whose client has disconnected. */
const gone = () => serviceUnavailable('The client has gone.')

interface TurnOptions {
  /** Aborted when the client disconnects, which removes a waiting turn. */
  signal?: AbortSignal | undefined
  /** Whether the browser has signed in to the account before. */
  known?: boolean
}

/** A place in the queue. */
export interface Turn {
  /** Computes when it is this turn's time, once. Rejects with `service_unavailable` (503) if it was displaced. */
  take<Result>(compute: () => Promise<Result>): Promise<Result>
  /** Frees the place, unless computing has begun. */
  giveUp(): void
}

interface Place {
  known: boolean
  /** Why it was removed from the queue. */
  refusal?: Error
  /** Starts computing; set while it waits. */
  begin?: () => void
  refuse?: (reason: Error) => void
}

export class PasswordHashing {
  readonly #atOnce: number
  readonly #placesMax: number
  /** Places that have not begun, in order of arrival. */
  readonly #places = new Set<Place>()
  #computing = 0
  /** Changed only by tests, which hash more often; there is no setting for it. */
  settings: HashSettings = owaspMinimum

  constructor(options: { atOnce?: number; waitingMax?: number } = {}) {
    this.#atOnce = options.atOnce ?? atOnce
    this.#placesMax = this.#atOnce + (options.waitingMax ?? waitingMax)
  }

  /** The number of hashes being computed, and of waiting requests. */
  get statistics(): { computing: number; waiting: number } {
    return { computing: this.#computing, waiting: this.#places.size }
  }

  /** Takes a place. Throws `service_unavailable` (503) if the queue is full. */
  turn({ signal, known = false }: TurnOptions = {}): Turn {
    if (this.#places.size + this.#computing >= this.#placesMax) this.#makeRoom(known)
    const place: Place = { known }
    const leave = () => this.#remove(place, gone())
    this.#places.add(place)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    return {
      giveUp: leave,
      take: async (compute) => {
        try {
          await this.#wait(place)
          return await compute()
        } finally {
          signal?.removeEventListener('abort', leave)
          if (!place.refusal) this.#computing -= 1
          this.#beginNext()
        }
      },
    }
  }

  /** Resolves when the place may compute. */
  async #wait(place: Place): Promise<void> {
    if (place.refusal) throw place.refusal
    await new Promise<void>((resolve, reject) => {
      place.begin = resolve
      place.refuse = reject
      this.#beginNext()
    })
  }

  #beginNext(): void {
    while (this.#computing < this.#atOnce) {
      const ready = [...this.#places].filter(({ begin }) => begin)
      const next = ready.find(({ known }) => known) ?? ready[0]
      if (!next) return
      this.#places.delete(next)
      this.#computing += 1
      next.begin?.()
    }
  }

  /** A known browser displaces the last stranger. */
  #makeRoom(known: boolean): void {
    const stranger = known ? [...this.#places].findLast((place) => !place.known) : undefined
    if (!stranger) throw busy()
    this.#remove(stranger, busy())
  }

  #remove(place: Place, reason: Error): void {
    if (!this.#places.delete(place)) return
    place.refusal = reason
    place.refuse?.(reason)
  }
}

/** The queue of this process, for all hashes and checks. */
export const passwordHashing = new PasswordHashing()
