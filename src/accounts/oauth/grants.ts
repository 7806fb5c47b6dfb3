/** Tokens of a consent at rest: encrypted for their grant and for the refresh that obtained them. */
import type { OAuthGrantRow } from '../../../storage/tables.ts'
import type { SecretPlace, Vault } from '../../platform/secrets/vault.ts'
import type { Tokens } from './provider.ts'

/** A grant of the organization. */
export interface GrantReference {
  organizationId: string
  grantId: string
}

/** The part of the tokens that is kept. */
export interface KeptTokens {
  accessToken: string
  refreshToken: string | null
}

type Place = Pick<OAuthGrantRow, 'id' | 'organization_id' | 'token_version'>

const placeOf = ({ id, organization_id, token_version }: Place): SecretPlace => ({
  organizationId: organization_id,
  table: 'oauth_grants',
  recordId: id,
  version: token_version,
})

/** The columns that follow from the tokens. */
export async function sealTokens(
  vault: Vault,
  place: Place,
  { accessToken, refreshToken }: KeptTokens,
): Promise<Pick<OAuthGrantRow, 'sealed' | 'renewable'>> {
  const kept: KeptTokens = { accessToken, refreshToken }
  return {
    sealed: await vault.seal(placeOf(place), JSON.stringify(kept)),
    renewable: refreshToken === null ? 0 : 1,
  }
}

/** Throws `DamagedRecord`. */
export async function openTokens(vault: Vault, row: Place & Pick<OAuthGrantRow, 'sealed'>): Promise<KeptTokens> {
  const plain = await vault.unseal(placeOf(row), row.sealed)
  return JSON.parse(plain.reveal()) as KeptTokens
}

/** How long a token is used whose lifetime is unclear, if it can be refreshed. */
const unclearLifeSeconds = 300

/** When the access token ends; null if that is not known, and it is used until the service refuses it. */
export function expiryOf({ expiresInSeconds, refreshToken }: Tokens, now: number): number | null {
  const seconds =
    expiresInSeconds === 'unclear' ? (refreshToken === null ? null : unclearLifeSeconds) : expiresInSeconds
  return seconds === null ? null : now + seconds * 1000
}
