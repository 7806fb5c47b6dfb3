/** The catalogue of presets over HTTP: the same for every organization. Source: requirement 4.3, 4.8. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, itemsOf } from '../../platform/http/schema.ts'
import type { Presets } from './catalogue.ts'
import { type Preset, PresetKey, shownProperties } from './preset.ts'

const ConnectionPreset = Type.Object(
  {
    ...shownProperties,
    pkce: Type.Literal(true, { description: 'Every flow is protected by PKCE (S256).' }),
    redirectUri: Type.String({
      description: 'The redirect URI that an administrator registers at the provider.',
      examples: ['https://troupe.example.com/api/oauth/callback/google-workspace'],
    }),
  },
  { $id: 'ConnectionPreset', description: 'An OAuth 2.0 provider that this deployment knows; it holds no secret.' },
)

/** Only what is listed: the rest is the server's own business. */
const present = (preset: Preset): Static<typeof ConnectionPreset> => ({
  presetKey: preset.presetKey,
  name: preset.name,
  authorizationEndpoint: preset.authorizationEndpoint,
  tokenEndpoint: preset.tokenEndpoint,
  scopes: preset.scopes,
  defaultScopes: preset.defaultScopes,
  principalBinding: preset.principalBinding,
  pkce: preset.pkce,
  setupInstructions: preset.setupInstructions,
  redirectUri: preset.redirectUri,
})

const PresetPath = Type.Object({ presetKey: PresetKey })

export function presetRoutes({ guarded, presets }: { guarded: Guarded; presets: Presets }) {
  const all = () => ({ data: { items: presets.list().map(present) } })
  const find = ({ params }: Pick<Naming<typeof PresetPath>, 'params'>) => {
    return orNotFound(presets.find(params.presetKey))
  }
  return new Elysia({ name: 'presets', prefix: '/api/v1' })
    .use(guarded)
    .get('/connection-presets', all, {
      permission: 'connections:presets:list',
      response: { 200: itemsOf(ConnectionPreset) },
      detail: doc(
        'listConnectionPresets',
        'List connection presets',
        'The OAuth providers that Connections can use, ordered by key. The catalogue is the same for every organization; ' +
          'the integrations of an organization show which of them it has registered.',
        { tags: ['Connections'] },
      ),
    })
    .get('/connection-presets/:presetKey', ({ params }) => ({ data: present(find({ params })) }), {
      permission: 'connections:presets:list',
      params: PresetPath,
      find,
      response: { 200: dataOf(ConnectionPreset) },
      detail: doc('getConnectionPreset', 'Get a connection preset', 'One provider, by its key.', {
        tags: ['Connections'],
      }),
    })
    .get('/organization-integrations/presets', all, {
      permission: 'organization-integrations:presets:list',
      response: { 200: itemsOf(ConnectionPreset) },
      detail: doc(
        'listIntegrationPresets',
        'List integration presets',
        'The same catalogue for administrators, with the setup steps at the provider and the redirect URI to register there.',
        { tags: ['Integrations'] },
      ),
    })
}
