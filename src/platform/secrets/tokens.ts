/**
 * Secrets that are shown once: a prefix, 43 random base62 characters (256 bits), and a CRC-32 in 6 base62 characters. Typing
 * errors are refused without a look-up, and `trp_[0-9A-Za-z]{49}` finds leaked API keys. Source: contract 1, "Secret form".
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 6

/** Bytes from here on are drawn again, because they would favor the first characters of the alphabet. */
const fairBytes = 256 - (256 % alphabet.length)

function randomCharacters(): string {
  let characters = ''
  while (characters.length < randomLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(randomLength))) {
      if (byte < fairBytes && characters.length < randomLength) characters += alphabet[byte % alphabet.length]
    }
  }
  return characters
}

/** The CRC-32 (IEEE) of ASCII text in base62, most significant digit first, padded with `0` to 6 characters. */
export function checksum(text: string): string {
  let rest = Bun.hash.crc32(text)
  let digits = ''
  for (let index = 0; index < checksumLength; index += 1) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}

/** The functions for secrets with a prefix such as `trp_`. */
export function secretsWith(mark: string) {
  const form = new RegExp(`^${mark}[0-9A-Za-z]{${randomLength + checksumLength}}$`)
  const checksumStart = mark.length + randomLength
  return {
    /** A new secret. It is shown once and stored only as its hash. */
    newSecret(): string {
      const random = randomCharacters()
      return mark + random + checksum(random)
    },
    /** Whether the text has the form of a secret: length, characters and checksum. */
    isWellFormed: (secret: string): boolean =>
      form.test(secret) && checksum(secret.slice(mark.length, checksumStart)) === secret.slice(checksumStart),
    /** The visible part of a secret: the prefix and 4 characters. */
    visiblePrefix: (secret: string): string => secret.slice(0, mark.length + 4),
  }
}

/** 256 random bits for a session's cookie or an invitation. Stored only as their hash. */
export const newToken = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })

/** The stored form of a secret: SHA-256, hexadecimal. 256 random bits need no slow hash. */
export const hashSecret = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')
