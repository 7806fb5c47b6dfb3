/** Hashes and compares passwords. Source: contract 1, "Session"; trust 2.7, "Passwords". */
import { passwordHashing, type Turn } from './password-hashing.ts'

/** No password was ever longer; longer ones are not compared. */
const comparedLengthMax = 1024

/** Computes in its turn; rejects with `service_unavailable` (503) if too many wait. */
export async function hashPassword(password: string, turn: Turn = passwordHashing.turn()): Promise<string> {
  const { memoryCost, timeCost } = passwordHashing.settings
  return turn.take(() => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost, timeCost }))
}

/**
 * The index of the first hash of this password, or -1; all within one turn. Without a hash, or for a password of an impossible
 * length, it takes as long as for one hash, so that timing does not reveal whether the user exists. Rejects as `hashPassword`
 * does.
 */
export async function firstThatFits(
  password: string,
  hashes: readonly string[],
  turn: Turn = passwordHashing.turn(),
): Promise<number> {
  const possible = password.length > 0 && password.length <= comparedLengthMax
  const compared = hashes.length === 0 ? [passwordHashing.settings.ofNobody] : hashes
  const index = await turn.take(async () => {
    for (const [at, hash] of compared.entries()) {
      if (await Bun.password.verify(possible ? password : 'impossible', hash)) return at
    }
    return -1
  })
  return possible && hashes.length > 0 ? index : -1
}

/** Whether the hash is that of the password; rejects as `firstThatFits` does. */
export const passwordFits = async (password: string, hash: string | undefined, turn?: Turn): Promise<boolean> =>
  (await firstThatFits(password, hash === undefined ? [] : [hash], turn)) === 0
