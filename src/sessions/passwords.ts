/** Passwords: how they are stored, and compared. Source: contract 1, "Session"; trust 2.7, "Passwords". */
import { passwordHashing, type Turn } from './password-hashing.ts'

/** No password is longer, nor was it ever; longer ones are not looked at. */
const comparedLengthMax = 1024

/** OWASP's minimum for argon2id; some 40 ms, in a thread of its own. */
const argon2id = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Of a password that nobody knows, with the settings of all others. */
const hashOfNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$xw0iXdy430EqY/P0ywezT09nXf2xFHog9c1CVtKm/6I$/tQfW5zAcgpDy6Pg2dpQ2viHp9yoxHgvxPYPOW1k8UY'

/** Computed when it is the turn's; rejects with `service_unavailable` (503) when too many wait. */
export async function hashPassword(password: string, turn: Turn = passwordHashing.turn()): Promise<string> {
  return turn.take(() => Bun.password.hash(password, argon2id))
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
  const compared = hashes.length === 0 ? [hashOfNobody] : hashes
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
