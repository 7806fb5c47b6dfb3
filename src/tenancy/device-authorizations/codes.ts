/**
 * The code that a person compares, or types: eight consonants, so that no words come about and none is taken for another
 * (35 bits; each lives for ten minutes and is worthless to someone who guesses it). Source: RFC 8628, section 6.1.
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
/** Bytes from here on are drawn again, because they would favor the first letters. */
const fairBytes = 256 - (256 % letters.length)

/** A new code, in its stored form. */
export function newUserCode(): string {
  let code = ''
  while (code.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < fairBytes && code.length < length) code += letters[byte % letters.length]
    }
  }
  return code
}

/** As people read it: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`

/** The stored form of a typed code; case, spaces and dashes are ignored. */
export const readUserCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
