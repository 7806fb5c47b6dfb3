/** Digests as the API shows them: `sha256:` and 64 hexadecimal digits. Source: contract 5, "Digests". */
import { canonical } from './canonical.ts'

/** Over the text as it is. */
export const digestOfText = (text: string): string =>
  `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`

/** Over the canonical JSON (RFC 8785) of a value. */
export const digestOf = (value: unknown): string => digestOfText(canonical(value))
