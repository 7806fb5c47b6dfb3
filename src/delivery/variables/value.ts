/** What all variables have in common: what they are called and what they hold. Source: contract 4, `Variable`. */
import { Type } from '@sinclair/typebox'
import { oneOf } from '../../platform/http/schema.ts'
import { characterCount, SecretText } from '../../platform/secrets/secret-text.ts'
import type { Vault } from '../../platform/secrets/vault.ts'

export const VariableName = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{0,127}$',
  description: 'Capitals, digits and underscores, a capital first: 1 to 128 characters.',
  examples: ['SHOP_TOKEN'],
})

/** A variable may be empty: that too says something. */
export const VariableValue = SecretText(0, 'The value: 0 to 65,536 characters. It is never shown again.')

export const VariableStatus = oneOf(['active', 'disabled'], { description: 'Only an active one is used.' })

/** What is told of a value instead of it. */
export const tracesOfValue = {
  valueDigest: Type.String({
    pattern: '^hmac-sha256:[0-9a-f]{64}$',
    description: 'Equal for equal values of the organization, and says nothing else: an HMAC under a key of its own.',
    examples: [`hmac-sha256:${'0'.repeat(64)}`],
  }),
  valueLength: Type.Integer({ minimum: 0, description: 'In characters.' }),
}

/** The same, as it is stored. */
export const traceOf = async (vault: Vault, organizationId: string, value: string) => ({
  digest: await vault.digest(organizationId, value),
  length: characterCount(value),
})
