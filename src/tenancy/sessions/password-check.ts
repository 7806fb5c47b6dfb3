/**
 * Checks passwords: the only place that does. Limits come before the hash, so that a refused attempt costs none:
 *
 * 1. a browser that has signed in to the account before (by a signed cookie) has ten attempts of its own and skips steps 2
 *    to 4;
 * 2. the client's address: 20 attempts a minute (429);
 * 3. a place in the queue for hashes (503), see `PasswordHashing`;
 * 4. the account from this address, then from all addresses together (429), see `SignInLimiter`;
 * 5. the password.
 *
 * So guessing from thousands of addresses is slowed down per account, and the owner can still sign in from a known browser.
 * An account that does not exist is counted and computed like any other. Source: contract 1, "Session"; trust case 72.
 */

import { ApiError } from '../../platform/http/answers/errors.ts'
import type { AddressFailures } from '../../platform/limits/failures.ts'
import type { SignInLimiter } from '../../platform/limits/sign-ins.ts'
import type { Origin } from './origin.ts'
import { type PasswordHashing, passwordHashing, type Turn } from './password-hashing.ts'
import { firstThatFits, passwordFits } from './passwords.ts'

/** An account that an attempt may be for. */
interface Candidate {
  id: string
  /** Of its password. */
  hash: string
}

interface Attempt {
  /** The address in lower case. */
  account: string
  password: string
  /** Empty for an unknown address. */
  candidates: readonly Candidate[]
  /** Whether several accounts claim the address: a success for one does not excuse failures for others. */
  shared: boolean
}

interface PasswordCheckParts {
  signIns: SignInLimiter
  failedAttempts: Pick<AddressFailures, 'attempt' | 'takeBack'>
  /** Tests pass their own. */
  hashing?: PasswordHashing
}

export class PasswordCheck {
  constructor(private readonly parts: PasswordCheckParts) {}

  /** Like `which`, for one known account. */
  async fits(
    { candidate, ...attempt }: Omit<Attempt, 'candidates'> & { candidate: Candidate },
    origin: Origin,
  ): Promise<boolean> {
    return (await this.which({ ...attempt, candidates: [candidate] }, origin)) !== undefined
  }

  /**
   * The candidate with this password; counts as one attempt. Throws `rate_limited` (429), `service_unavailable` (503).
   */
  async which(attempt: Attempt, origin: Origin): Promise<Candidate | undefined> {
    const { signIns, hashing = passwordHashing } = this.parts
    const { signal, deviceOf } = origin
    const { password, candidates } = attempt
    const { known, device } = firstKnown(candidates, deviceOf)
    if (known && (await signIns.attemptFromDevice(known.id, device))) {
      const fits = await passwordFits(password, known.hash, hashing.turn({ signal, known: true }))
      if (fits) return known
      // to the other candidates the browser is a stranger
      const others = candidates.filter((candidate) => candidate !== known)
      return others.length === 0 ? undefined : this.#whichOfStrangers({ ...attempt, candidates: others }, origin)
    }
    return this.#whichOfStrangers(attempt, origin)
  }

  async #whichOfStrangers({ account, password, candidates, shared }: Attempt, origin: Origin) {
    const { signIns, hashing = passwordHashing } = this.parts
    const { signal, signedIn = false } = origin
    const turn = await this.#turnAt(origin, () => hashing.turn({ signal, known: signedIn }))
    await this.#countAccount(account, origin, turn)
    const hashes = candidates.map(({ hash }) => hash)
    const index = await firstThatFits(password, hashes, turn).catch(async (error: unknown) => {
      // an attempt of a disconnected client still counts: otherwise repeated attempts would be free
      if (!signal?.aborted) await this.#takeBack(account, origin)
      throw error
    })
    if (index < 0) return undefined
    if (shared) await this.#takeBack(account, origin)
    else {
      await signIns.succeeded(account, origin.address)
      await this.#takeBackAt(origin)
    }
    return candidates[index]
  }

  /** Counts the address, then takes a place in the queue. */
  async #turnAt(origin: Origin, turn: () => Turn): Promise<Turn> {
    const { failedAttempts } = this.parts
    const seconds = origin.address === undefined ? 0 : await failedAttempts.attempt(origin.address)
    if (seconds > 0) throw tooMany(seconds)
    try {
      return turn()
    } catch (error) {
      await this.#takeBackAt(origin)
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
    await this.#takeBackAt(origin)
    await this.parts.signIns.takeBack(account, origin.address)
  }

  async #takeBackAt({ address }: Origin): Promise<void> {
    if (address !== undefined) await this.parts.failedAttempts.takeBack(address)
  }
}

/** The first account that the browser has signed in to before, and its device id. */
function firstKnown(candidates: readonly Candidate[], deviceOf: Origin['deviceOf']) {
  for (const known of candidates) {
    const device = deviceOf?.(known.id)
    if (device !== undefined) return { known, device }
  }
  return {}
}

const tooMany = (seconds: number) =>
  new ApiError(429, 'rate_limited', 'Too many failed sign-ins; try again later.', { retryAfterSeconds: seconds })
