/** Secrets as requests bring them: any text, counted in characters, never shown in a document's example or an answer. */
import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'

/** What a secret may have at most. Source: contract 4. */
export const secretLengthMax = 65_536

interface SecretTextSchema extends TSchema {
  minLength: number
  maxLength: number
}

/** How many characters (code points) a text has. */
export const characterCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

TypeRegistry.Set<SecretTextSchema>('SecretText', ({ minLength, maxLength }, value) => {
  if (typeof value !== 'string' || value.length < minLength || value.length > maxLength * 2) return false
  return value.length <= maxLength || characterCount(value) <= maxLength
})

/** A secret of `lengthMin` to 65,536 characters, line breaks and all. */
export const SecretText = (lengthMin: 0 | 1, description: string) =>
  Type.Unsafe<string>({
    [Kind]: 'SecretText',
    type: 'string',
    minLength: lengthMin,
    maxLength: secretLengthMax,
    writeOnly: true,
    description,
    fault: `Must have ${lengthMin} to ${secretLengthMax} characters.`,
  })
