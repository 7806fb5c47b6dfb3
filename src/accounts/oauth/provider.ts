/**
 * OAuth 2.0 as a client: the address for the browser, a code exchanged for tokens, tokens refreshed. The only file that
 * knows arctic, whose author has stopped work on it: `oauth4webapi` could take its place here.
 *
 * Arctic makes states, verifiers and addresses and reads tokens. It does not send: its `fetch` has no time limit, no bound
 * on the answer, follows redirects and cannot be given another one; so requests go through the guarded client. This file is
 * loaded with the first consent flow: arctic is sixty providers large.
 * Source: requirement 4.2; contract 4, "OAuth"; RFC 6749, 7636.
 */
import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client, OAuth2Tokens } from 'arctic'
import { basicAuthentication } from '../integrations/client-authentication.ts'
import type { ProviderClient } from '../integrations/client-secrets.ts'
import type { Preset } from '../presets/preset.ts'
import { askProvider, ProviderFailure, type ProviderParts } from './provider-answer.ts'

/** 32 random bytes each, as base64url. */
export const newState = generateState
export const newVerifier = generateCodeVerifier

/** The endpoints of a preset and its redirect URI. */
export type Endpoints = Pick<Preset, 'authorizationEndpoint' | 'tokenEndpoint' | 'redirectUri'>

export interface Tokens {
  accessToken: string
  /** null: the provider gave none, or no new one. */
  refreshToken: string | null
  idToken: string | null
  /** null: the provider did not tell; `unclear`: what it told is no time. */
  expiresInSeconds: number | null | 'unclear'
  /** null: those that were asked for. */
  scopes: string[] | null
}

/** The address of the consent page. */
export function consentUrl(
  preset: Endpoints & Pick<Preset, 'defaultScopes' | 'authorizationParameters'>,
  { clientId, state, verifier }: { clientId: string; state: string; verifier: string },
): string {
  const client = new OAuth2Client(clientId, null, preset.redirectUri)
  const { authorizationEndpoint, defaultScopes, authorizationParameters = {} } = preset
  const url = client.createAuthorizationURLWithPKCE(
    authorizationEndpoint,
    state,
    CodeChallengeMethod.S256,
    verifier,
    defaultScopes,
  )
  for (const [name, value] of Object.entries(authorizationParameters)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  }
  return url.href
}

/** Exchanges a code, with a single request regardless of the outcome. Throws `ProviderFailure`. */
export const exchangeCode = (
  parts: ProviderParts,
  { tokenEndpoint, redirectUri }: Pick<Endpoints, 'tokenEndpoint' | 'redirectUri'>,
  client: ProviderClient,
  { code, verifier }: { code: string; verifier: string },
): Promise<Tokens> =>
  askForTokens(parts, tokenEndpoint, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })

/** Throws `ProviderFailure`; with the reason `invalid_grant` the consent is over. */
export const refreshTokens = (
  parts: ProviderParts,
  { tokenEndpoint }: Pick<Endpoints, 'tokenEndpoint'>,
  client: ProviderClient,
  refreshToken: string,
): Promise<Tokens> =>
  askForTokens(parts, tokenEndpoint, client, { grant_type: 'refresh_token', refresh_token: refreshToken })

async function askForTokens(
  parts: ProviderParts,
  tokenEndpoint: string,
  client: ProviderClient,
  form: Record<string, string>,
): Promise<Tokens> {
  const answer = await askProvider(parts, {
    url: tokenEndpoint,
    method: 'POST',
    headers: {
      authorization: basicAuthentication(client),
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams(form).toString(),
  })
  return read(new OAuth2Tokens(answer))
}

/** A token that is valid in a header. */
const tokenForm = /^[\x21-\x7e]{1,16384}$/
const scopesMax = 200
const secondsMax = 10 * 365 * 86_400

function read(tokens: OAuth2Tokens): Tokens {
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: expiresIn,
    scope,
    id_token: idToken,
  } = tokens.data as Partial<Record<string, unknown>>
  if (typeof accessToken !== 'string' || !tokenForm.test(accessToken)) {
    throw new ProviderFailure('refused', 'no_access_token')
  }
  // some leave it out, though they must not
  if (type !== undefined && (typeof type !== 'string' || type.toLowerCase() !== 'bearer')) {
    throw new ProviderFailure('refused', 'not_a_bearer_token')
  }
  const refreshToken = tokens.hasRefreshToken() ? tokens.refreshToken() : null
  if (refreshToken !== null && !tokenForm.test(refreshToken)) {
    throw new ProviderFailure('refused', 'unusable_refresh_token')
  }
  return {
    accessToken,
    refreshToken,
    // some send null, and arctic throws for everything that is no text
    idToken: typeof idToken === 'string' ? idToken : null,
    expiresInSeconds: secondsOf(expiresIn),
    scopes: typeof scope === 'string' && scope.trim() !== '' ? scopesIn(scope) : null,
  }
}

/** Some send digits as text. */
function secondsOf(given: unknown): Tokens['expiresInSeconds'] {
  if (given === undefined || given === null) return null
  const seconds = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
  return typeof seconds === 'number' && seconds >= 0 ? Math.min(Math.floor(seconds), secondsMax) : 'unclear'
}

const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/

const scopesIn = (text: string): string[] =>
  [...new Set(text.split(/[ ,]+/).filter((scope) => scopeForm.test(scope)))].slice(0, scopesMax)
