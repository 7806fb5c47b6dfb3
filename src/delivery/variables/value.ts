/** Schemas that all variables share. Source: contract 4, `Variable`. */
import { Type } from '@sinclair/typebox'
import { oneOf } from '../../platform/http/schema.ts'
import { characterCount, SecretText } from '../../platform/secrets/secret-text.ts'
import type { Vault } from '../../platform/secrets/vault.ts'

export const VariableName = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{0,127}$',
  description: 'Capitals, digits and underscores, a capital first: 1 to 128 characters.',
  examples: ['SHOP_TOKEN'],
})

/** A variable may be empty. */
export const VariableValue = SecretText(0, 'The value: 0 to 65,536 characters. It is never shown again.')

export const VariableStatus = oneOf(['active', 'disabled'], { description: 'Only an active one is used.' })

/** Facts about a value that are shown in its place. */
export const tracesOfValue = {
  valueDigest: Type.String({
    pattern: '^hmac-sha256:[0-9a-f]{64}$',
    description:
      'Equal for equal values of the organization: an HMAC under a separate key, which reveals nothing else.',
    examples: [`hmac-sha256:${'0'.repeat(64)}`],
  }),
  valueLength: Type.Integer({ minimum: 0, description: 'In characters.' }),
}

/** The same facts as stored. */
export const traceOf = async (vault: Vault, organizationId: string, value: string) => ({
  digest: await vault.digest(organizationId, value),
  length: characterCount(value),
})
