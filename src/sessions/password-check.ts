/**
 * The one place where somebody proves to be a user by a password. It counts first and computes last: an attempt that is
 * refused costs no hash. The order is
 *
 * 1. a browser that has signed in to the account before (a signed cookie says so) has ten attempts of its own, which
 *    need none of what follows up to 4;
 * 2. the client's address: 20 a minute (429);
 * 3. a place among those whose hashes are computed (503), see `PasswordHashing`;
 * 4. the account from this address, then from all addresses together (429), see `SignInLimiter`;
 * 5. the password.
 *
 * So whoever guesses from thousands of addresses is slowed down for each account, and its owner still comes in from a
 * browser of theirs. An account that does not exist is counted and computed for as any other.
 * Source: contract 1, "Session"; trust case 72.
 */
import type { FailedAttempts } from '../authority/failed-attempts.ts'
import { ApiError } from '../http/errors.ts'
import type { SignInLimiter } from '../limits/sign-ins.ts'
import type { Origin } from './origin.ts'
import { type PasswordHashing, passwordHashing, type Turn } from './password-hashing.ts'
import { passwordFits } from './passwords.ts'

interface Attempt {
  /** The address in lower case. */
  account: string
  password: string
  /** That of the account's user, if there is one. */
  hash: string | undefined
}

export interface PasswordCheckParts {
  signIns: SignInLimiter
  failedAttempts: Pick<FailedAttempts, 'attempt' | 'takeBack'>
  /** That of the process, unless a test brings its own. */
  hashing?: PasswordHashing
}

export class PasswordCheck {
  constructor(private readonly parts: PasswordCheckParts) {}

  /** Throws `rate_limited` (429), `service_unavailable` (503). */
  async fits(attempt: Attempt, origin: Origin): Promise<boolean> {
    const { signIns, hashing = passwordHashing } = this.parts
    const { signal, device, signedIn = false } = origin
    const { account, password, hash } = attempt
    if (device !== undefined && (await signIns.attemptFromDevice(account, device))) {
      return passwordFits(password, hash, hashing.turn({ signal, known: true }))
    }
    const turn = this.#turnAt(origin, () => hashing.turn({ signal, known: signedIn }))
    await this.#countAccount(account, origin, turn)
    const fits = await passwordFits(password, hash, turn).catch(async (error: unknown) => {
      // who leaves does not get the attempt back: else it would be free to ask again and again
      if (!signal?.aborted) await this.#takeBack(account, origin)
      throw error
    })
    if (fits) {
      await signIns.succeeded(account, origin.address)
      this.#takeBackAt(origin)
    }
    return fits
  }

  /** Counts the address, then takes a place. */
  #turnAt(origin: Origin, turn: () => Turn): Turn {
    const { failedAttempts } = this.parts
    const seconds = origin.address === undefined ? 0 : failedAttempts.attempt(origin.address)
    if (seconds > 0) throw tooMany(seconds)
    try {
      return turn()
    } catch (error) {
      this.#takeBackAt(origin)
      throw error
    }
  }

  async #countAccount(account: string, { address, signedIn = false }: Origin, turn: Turn): Promise<void> {
    const { signIns } = this.parts
    try {
      const here = await signIns.attempt(account, address)
      const seconds = here > 0 ? here : await signIns.attemptAnywhere(account, { signedIn })
      if (seconds > 0) throw tooMany(seconds)
    } catch (error) {
      turn.giveUp()
      throw error
    }
  }

  async #takeBack(account: string, origin: Origin): Promise<void> {
    this.#takeBackAt(origin)
    await this.parts.signIns.takeBack(account, origin.address)
  }

  #takeBackAt({ address }: Origin): void {
    if (address !== undefined) this.parts.failedAttempts.takeBack(address)
  }
}

const tooMany = (seconds: number) =>
  new ApiError(429, 'rate_limited', 'Too many failed sign-ins; try again later.', undefined, seconds)
