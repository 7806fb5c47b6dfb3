/** Passwords: how they are stored, and compared. Source: contract 1, "Session"; trust 2.7, "Passwords". */

export const passwordLengthMin = 8
export const passwordLengthMax = 1024

/** OWASP's minimum for argon2id; some 40 ms, in a thread of its own. */
const argon2id = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Of a password that nobody knows, with the settings of all others. */
const hashOfNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$xw0iXdy430EqY/P0ywezT09nXf2xFHog9c1CVtKm/6I$/tQfW5zAcgpDy6Pg2dpQ2viHp9yoxHgvxPYPOW1k8UY'

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, argon2id)

/**
 * Whether the hash is the password's. Without a hash, or with a password of a length that no password has, the answer is
 * no and takes as long: it does not tell whether there is such a user.
 */
export async function passwordFits(password: string, hash: string | undefined): Promise<boolean> {
  const possible = password.length > 0 && password.length <= passwordLengthMax
  const fits = await Bun.password.verify(possible ? password : 'impossible', hash ?? hashOfNobody)
  return fits && possible && hash !== undefined
}
