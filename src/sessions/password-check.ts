/**
 * The one place where somebody proves to be a user by a password. Ten failures in 15 minutes per account and address, and
 * the next attempts are refused without a look at the password. Source: contract 1, "Session"; trust case 72.
 */
import type { FailedAttempts } from '../authority/failed-attempts.ts'
import { ApiError } from '../http/errors.ts'
import type { RequestId } from '../http/request-id.ts'
import type { SignInLimiter } from '../limits/sign-ins.ts'
import { passwordFits } from './passwords.ts'

/** Where a request comes from. */
export interface Origin extends RequestId {
  /** The client's address. */
  address: string | undefined
}

export class PasswordCheck {
  constructor(
    private readonly parts: {
      signIns: Pick<SignInLimiter, 'attempt' | 'succeeded'>
      /** Failures by address alone, whatever the account. */
      failedAttempts: Pick<FailedAttempts, 'count'>
    },
  ) {}

  /** `account` is the address in lower case, `hash` that of its user, if there is one. Throws `rate_limited` (429). */
  async fits(
    { account, password, hash }: { account: string; password: string; hash: string | undefined },
    origin: Origin,
  ): Promise<boolean> {
    const { signIns, failedAttempts } = this.parts
    const address = origin.address ?? ''
    // counted before the look, so that attempts at the same moment do not slip through
    const seconds = await signIns.attempt(account, address)
    if (seconds > 0) throw tooMany(seconds)
    if (await passwordFits(password, hash)) {
      await signIns.succeeded(account, address)
      return true
    }
    const patience = origin.address === undefined ? 0 : failedAttempts.count(origin.address)
    if (patience > 0) throw tooMany(patience)
    return false
  }
}

const tooMany = (seconds: number) =>
  new ApiError(429, 'rate_limited', 'Too many failed sign-ins; try again later.', undefined, seconds)
