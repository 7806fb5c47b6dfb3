/**
 * Encryption with a 32-byte key: compact JWE (`dir`, A256GCM). The protected header names the owner of the ciphertext and is
 * authenticated, so that a ciphertext moved elsewhere does not decrypt. Source: design 6.
 */
import { CompactEncrypt, compactDecrypt } from 'jose'

/** The owner of a ciphertext, as names and values. */
export type Belonging = Readonly<Record<string, string | number>>

/** The ciphertext is damaged, was moved, or was encrypted with another key. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const form = { alg: 'dir', enc: 'A256GCM' } as const

export const seal = (key: Uint8Array, belonging: Belonging, plain: Uint8Array): Promise<string> =>
  new CompactEncrypt(plain).setProtectedHeader({ ...belonging, ...form }).encrypt(key)

/** Decrypts. Throws `Unreadable`. */
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
