/**
 * Encryption with a key of 32 bytes: compact JWE (`dir`, A256GCM). What the ciphertext belongs to is in its protected
 * header, which is authenticated with it: moved anywhere else, it does not decrypt. Source: design 6.
 */
import { CompactEncrypt, compactDecrypt } from 'jose'

/** What a ciphertext belongs to, word by word. */
export type Belonging = Readonly<Record<string, string | number>>

/** The ciphertext is not what was written for this place: damaged, moved, or of another key. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const form = { alg: 'dir', enc: 'A256GCM' } as const

export const seal = (key: Uint8Array, belonging: Belonging, plain: Uint8Array): Promise<string> =>
  new CompactEncrypt(plain).setProtectedHeader({ ...belonging, ...form }).encrypt(key)

/** The plain bytes. Throws `Unreadable`. */
export async function unseal(key: Uint8Array, belonging: Belonging, sealed: string): Promise<Uint8Array> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
    keyManagementAlgorithms: [form.alg],
    contentEncryptionAlgorithms: [form.enc],
  }).catch((cause: unknown) => {
    throw new Unreadable('A ciphertext cannot be decrypted.', { cause })
  })
  const expected = Object.entries({ ...belonging, ...form })
  const header = protectedHeader as Record<string, unknown>
  const fits = expected.every(([word, value]) => header[word] === value)
  if (!fits || Object.keys(header).length !== expected.length) {
    throw new Unreadable('A ciphertext belongs to something else.')
  }
  return plaintext
}
