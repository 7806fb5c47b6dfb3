/** Secrets in requests: any text, counted in characters, never shown in examples or answers. */
import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'

/** The longest secret. Source: contract 4. */
const secretLengthMax = 65_536

interface SecretTextSchema extends TSchema {
  minLength: number
  maxLength: number
}

/** The number of characters (code points) in a text. */
export const characterCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

TypeRegistry.Set<SecretTextSchema>('SecretText', ({ minLength, maxLength }, value) => {
  if (typeof value !== 'string' || value.length < minLength || value.length > maxLength * 2) return false
  return value.length <= maxLength || characterCount(value) <= maxLength
})

/** A secret of `lengthMin` to 65,536 characters, including line breaks. */
export const SecretText = (lengthMin: 0 | 1, description: string) =>
  Type.Unsafe<string>({
    [Kind]: 'SecretText',
    type: 'string',
    minLength: lengthMin,
    maxLength: secretLengthMax,
    writeOnly: true,
    description,
    fault: `Must be text of ${lengthMin} to ${secretLengthMax} characters.`,
  })
