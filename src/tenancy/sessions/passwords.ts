/** Passwords: how they are stored, and compared. Source: contract 1, "Session"; trust 2.7, "Passwords". */
import { passwordHashing, type Turn } from './password-hashing.ts'

/** No password is longer, nor was it ever; longer ones are not looked at. */
const comparedLengthMax = 1024

/** Computed when it is the turn's; rejects with `service_unavailable` (503) when too many wait. */
export async function hashPassword(password: string, turn: Turn = passwordHashing.turn()): Promise<string> {
  const { memoryCost, timeCost } = passwordHashing.settings
  return turn.take(() => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost, timeCost }))
}

/**
 * The index of the first hash that is the password's, or -1; all in one turn, one after the other. Without a hash, or with
 * a password of a length that no password has, the answer is no and takes as long as for one: it does not tell whether
 * there is such a user. Rejects as `hashPassword` does.
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

/** Whether the hash is the password's; as `firstThatFits`. */
export const passwordFits = async (password: string, hash: string | undefined, turn?: Turn): Promise<boolean> =>
  (await firstThatFits(password, hash === undefined ? [] : [hash], turn)) === 0
