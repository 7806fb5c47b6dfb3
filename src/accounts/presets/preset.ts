/** A preset: an OAuth 2.0 provider that this deployment knows. Source: requirement 4.3; contract 4, "Presets". */
import { type Static, Type } from '@sinclair/typebox'
import { Slug } from '../../platform/http/schema.ts'

const Address = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 2048, description, examples: [example] })

export const PresetKey = Slug('Preset key')

/** A scope as RFC 6749, 3.3, has it. */
const ScopeName = Type.String({
  pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,500}$',
  description: "The provider's name for it.",
  fault: 'Must be 1 to 500 printable characters without spaces, quotes and backslashes.',
  examples: ['openid'],
})

/** The public part of a preset, besides its redirect URI. */
export const shownProperties = {
  presetKey: PresetKey,
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'What people call it.',
    examples: ['Google Workspace'],
  }),
  authorizationEndpoint: Address(
    'The address to which the browser is sent for the consent.',
    'https://accounts.google.com/o/oauth2/v2/auth',
  ),
  tokenEndpoint: Address(
    'The endpoint where the server exchanges codes for tokens.',
    'https://oauth2.googleapis.com/token',
  ),
  scopes: Type.Array(
    Type.Object({
      name: ScopeName,
      description: Type.String({ minLength: 1, maxLength: 500, description: 'Its permissions.' }),
    }),
    { minItems: 1, maxItems: 200, description: 'The scopes that the provider documents.' },
  ),
  defaultScopes: Type.Array(ScopeName, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'The scopes that a consent requests.',
  }),
  principalBinding: Type.Union([Type.Literal('user'), Type.Literal('workspace')], {
    description: 'Whom a Connection acts for: the user who gave the consent, or the whole workspace.',
  }),
  setupInstructions: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: 'The steps of an administrator at the provider before registering the client here.',
  }),
}

/** The part of a preset for the server only. Source: contract 4, precise points, "OAuth". */
const innerProperties = {
  /** Checked against the `iss` of id tokens and of answers. */
  issuer: Type.Optional(Address('The issuer of id tokens.', 'https://accounts.google.com')),
  userinfoEndpoint: Type.Optional(
    Address('Where the account is asked for.', 'https://openidconnect.googleapis.com/v1/userinfo'),
  ),
  apiBaseUrl: Type.Optional(Address('Where Connections lead to.', 'https://www.googleapis.com')),
  /** Added to the authorization request, for providers that give refresh tokens only when asked in their own way. */
  authorizationParameters: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z_]{1,64}$' }), Type.String({ maxLength: 500 })),
  ),
}

/** A preset as declared here or in the operator's file. */
export const PresetDefinition = Type.Object({
  ...shownProperties,
  pkce: Type.Optional(Type.Literal(true)),
  ...innerProperties,
})
export type PresetDefinition = Static<typeof PresetDefinition>

/** A preset as the server uses it. */
export interface Preset extends Omit<PresetDefinition, 'pkce'> {
  pkce: true
  /** The redirect URI that an administrator registers at the provider. */
  redirectUri: string
}
