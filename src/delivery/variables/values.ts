/**
 * Reads the values of variables. A pin names a variable and a version; a variable with a source uses exactly the version that it
 * names. If either is disabled there is no value, and no newer one replaces it. Source: requirement 3, 9.2; contract 3, 4.
 */

import { findPinnedVariable } from '../../../storage/delivery/variables.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable, type Unavailability } from '../../platform/secrets/unavailable.ts'
import type { SecretPlace, Vault } from '../../platform/secrets/vault.ts'
import { organizationVariablePlace } from '../organization-variables/place.ts'

/** The organization, the variable and its version. */
export interface VariableReference {
  organizationId: string
  variableId: string
  version: number
}

/** The place for which the value of a version is encrypted. */
export const variablePlace = ({ organizationId, variableId, version }: VariableReference): SecretPlace => ({
  organizationId,
  table: 'variables',
  recordId: variableId,
  version,
})

interface Sealed {
  place: SecretPlace
  sealed: string
}

export class VariableValues {
  constructor(private readonly parts: { store: Store; vault: Vault }) {}

  /** The value. Throws `SecretUnavailable`: `missing`, `disabled`, `source_disabled` or `unreadable`. */
  async reveal(reference: VariableReference): Promise<Secret> {
    const { place, sealed } = await this.#usable(reference)
    try {
      return await this.parts.vault.unseal(place, sealed)
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      throw unavailable(reference, 'unreadable', { cause: error })
    }
  }

  /** Decrypts nothing. Throws `SecretUnavailable`: `missing`, `disabled` or `source_disabled`. */
  async assertUsable(reference: VariableReference): Promise<void> {
    await this.#usable(reference)
  }

  /** The ciphertext of a usable version, and the place for which it was encrypted. */
  async #usable(reference: VariableReference): Promise<Sealed> {
    const { store } = this.parts
    const { organizationId, variableId: id, version } = reference
    const found = await store.first(findPinnedVariable(store, { organizationId, id, version }))
    if (!found) throw unavailable(reference, 'missing')
    const { name } = found
    if (found.status !== 'active') throw unavailable(reference, 'disabled', { name })
    if (found.sealed !== null) return { place: variablePlace(reference), sealed: found.sealed }
    const { source_variable_id, source_version, source_status, source_sealed } = found
    if (source_variable_id === null || source_version === null || source_sealed === null) {
      throw unavailable(reference, 'missing', { name })
    }
    if (source_status !== 'active') throw unavailable(reference, 'source_disabled', { name })
    const place = organizationVariablePlace(organizationId, source_variable_id, source_version)
    return { place, sealed: source_sealed }
  }
}

const unavailable = (
  { variableId, version }: VariableReference,
  reason: Unavailability,
  { name, cause }: { name?: string; cause?: unknown } = {},
) => {
  const what = name === undefined ? variableId : `${name} (${variableId})`
  return new SecretUnavailable(`Version ${version} of the variable ${what}`, reason, { cause })
}
