/**
 * Identifies the account of a consent, by the id token that came with the tokens or by the userinfo endpoint.
 *
 * The id token's signature is not checked: it comes from the token endpoint itself, over a connection whose certificate
 * was (OpenID Connect Core, 3.1.3.7, point 6). Keys would cost two more requests at each consent, to the same host.
 * Source: requirement 4.2; contract 4, precise points, "OAuth".
 */
import { decodeJwt, errors, type JWTPayload } from 'jose'
import type { Preset } from '../presets/preset.ts'
import type { Tokens } from './provider.ts'
import { askProvider, type JsonObject, ProviderFailure, type ProviderParts } from './provider-answer.ts'

/** An account at the provider. */
export interface Account {
  /** As the provider calls it: the same at each consent. */
  id: string
  /** For people: an address, a name, or the id again. */
  label: string
}

type IdentitySource = Pick<Preset, 'issuer' | 'userinfoEndpoint'>

/** Clocks differ. */
const leewayMs = 60_000
const idCharactersMax = 255
const labelCharactersMax = 120

/** Throws `ProviderFailure` when the provider does not say who it is, or names a different client. */
export async function accountOf(
  parts: ProviderParts,
  { issuer, userinfoEndpoint }: IdentitySource,
  { idToken, accessToken }: Tokens,
  { clientId, now }: { clientId: string; now: number },
): Promise<Account> {
  // without an issuer to compare with, the origin of the token is unknown
  if (idToken !== null && issuer !== undefined) return named(claimsOf(idToken, { issuer, clientId, now }))
  if (userinfoEndpoint === undefined) throw new ProviderFailure('refused', 'no_identity')
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
  return named(await askProvider(parts, { url: userinfoEndpoint, method: 'GET', headers }))
}

/** The claims of an id token that was issued there, for this client, and is not over. */
function claimsOf(
  idToken: string,
  { issuer, clientId, now }: { issuer: string; clientId: string; now: number },
): JWTPayload {
  const claims = decoded(idToken)
  const audience = [claims.aud ?? []].flat()
  if (claims.iss !== issuer) throw new ProviderFailure('refused', 'id_token_issuer')
  if (!audience.includes(clientId)) throw new ProviderFailure('refused', 'id_token_audience')
  if ((audience.length > 1 || claims.azp !== undefined) && claims.azp !== clientId) {
    throw new ProviderFailure('refused', 'id_token_audience')
  }
  if (typeof claims.exp !== 'number' || claims.exp * 1000 + leewayMs <= now) {
    throw new ProviderFailure('refused', 'id_token_expired')
  }
  return claims
}

function decoded(idToken: string): JWTPayload {
  try {
    return decodeJwt(idToken)
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
    throw new ProviderFailure('refused', 'id_token_malformed')
  }
}

function named({ sub, email, name }: JWTPayload | JsonObject): Account {
  const address = textOf(email)
  const id = textOf(sub) ?? address
  if (id === undefined || id.length > idCharactersMax) throw new ProviderFailure('refused', 'no_identity')
  return { id, label: [...(address ?? textOf(name) ?? id)].slice(0, labelCharactersMax).join('') }
}

/** One line of text. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
  return text === '' ? undefined : text
}
