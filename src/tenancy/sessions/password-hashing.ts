/**
 * Turns for computing password hashes. A hash costs 19 MiB and some 40 ms of a core, so that a flood of sign-ins would
 * take the processor from everybody else: few are computed at a time, few wait, and the rest hear 503 before anything is
 * counted or looked up. A browser that has signed in to the account before goes ahead of strangers, and takes the place
 * of the last stranger when all places are taken. Source: contract 1, "Session"; trust 2.7, "Passwords".
 */
import { availableParallelism } from 'node:os'
import { serviceUnavailable } from '../../platform/http/answers/errors.ts'

/** At most two, and one core stays free for everything else where there is more than one. */
const atOnce = Math.max(1, Math.min(2, availableParallelism() - 1))
const waitingMax = 32
const retryAfterSeconds = 2

/** How hashes are computed. Each carries its own parameters, so that it is verified right whatever is set later. */
export interface HashSettings {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  /** A hash of a password that nobody knows, with these settings: what is compared when there is no such user. */
  ofNobody: string
}

/** OWASP's minimum for argon2id; some 40 ms, in a thread of its own. */
export const owaspMinimum: HashSettings = {
  memoryCost: 19_456,
  timeCost: 2,
  ofNobody:
    '$argon2id$v=19$m=19456,t=2,p=1$xw0iXdy430EqY/P0ywezT09nXf2xFHog9c1CVtKm/6I$/tQfW5zAcgpDy6Pg2dpQ2viHp9yoxHgvxPYPOW1k8UY',
}

const busy = () =>
  serviceUnavailable('Too many passwords are being checked at the moment; try again shortly.', retryAfterSeconds)
/** The client of a request that has gone hears nothing of this. */
const gone = () => serviceUnavailable('The client has gone.')

export interface TurnOptions {
  /** Aborted when the client has gone: a turn that still waits is given up. */
  signal?: AbortSignal | undefined
  /** Whether the browser has signed in to the account before. */
  known?: boolean
}

/** A place among those who compute, or wait to. */
export interface Turn {
  /** Computes when it is this one's turn, once. Rejects with `service_unavailable` (503) when it lost its place. */
  take<Result>(compute: () => Promise<Result>): Promise<Result>
  /** Leaves the place to others, unless computing has begun. */
  giveUp(): void
}

interface Place {
  known: boolean
  /** Why it has no place any more. */
  refusal?: Error
  /** Set while it waits: lets it compute. */
  begin?: () => void
  refuse?: (reason: Error) => void
}

export class PasswordHashing {
  readonly #atOnce: number
  readonly #placesMax: number
  /** Those that have not begun, in the order in which they came. */
  readonly #places = new Set<Place>()
  #computing = 0
  /** Only code may set it, as tests do, which hash more than they have time for; there is no variable for it. */
  settings: HashSettings = owaspMinimum

  constructor(options: { atOnce?: number; waitingMax?: number } = {}) {
    this.#atOnce = options.atOnce ?? atOnce
    this.#placesMax = this.#atOnce + (options.waitingMax ?? waitingMax)
  }

  /** How many hashes are being computed, and how many requests have a place and wait. */
  get statistics(): { computing: number; waiting: number } {
    return { computing: this.#computing, waiting: this.#places.size }
  }

  /** Takes a place. Throws `service_unavailable` (503) when all are taken. */
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

  /** For somebody who is known, the last stranger loses the place. */
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

/** The one of this process: whoever hashes or verifies a password takes a turn here. */
export const passwordHashing = new PasswordHashing()
