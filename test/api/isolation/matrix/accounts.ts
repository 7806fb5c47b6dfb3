/** The operations of the wing `accounts`. */
import type { Ids } from '../furnish.ts'
import { environment, ofOrganization, organization, type Row, user } from './rows.ts'

const integration = (ids: Ids) => ({ ...organization(ids), integrationId: ids.integration })
const ofIntegration: Row = { level: 'organization', path: integration }
const integrationActor: Row = { level: 'run', path: ({ integration: id }) => ({ id }) }

export const accounts: Record<string, Row> = {
  // no client is registered: 404 for authorized callers
  startOAuth: {
    level: 'madeThere',
    path: () => ({ presetKey: 'other' }),
    query: environment,
    missing: true,
  },
  completeOAuth: user,
  listConnectionPresets: { level: 'catalogue' },
  getConnectionPreset: { level: 'catalogue', path: () => ({ presetKey: 'google-workspace' }) },
  listIntegrationPresets: { level: 'catalogue' },
  listIntegrations: { level: 'ownOrganization', path: organization },
  // the preset is already registered: 400 for authorized callers
  registerIntegration: {
    ...ofOrganization,
    body: () => ({ presetKey: 'acme', clientId: 'client', clientSecret: 'secret' }),
  },
  getIntegration: ofIntegration,
  rotateIntegration: { ...ofIntegration, body: () => ({}) },
  deleteIntegration: { ...ofIntegration, destroys: true },
  verifyIntegration: ofIntegration,
  getIntegrationActor: integrationActor,
  streamIntegrationActor: { ...integrationActor, endless: true },
  previewIntegrationEvent: { ...integrationActor, body: () => ({ event: 'verified' }) },
  verifyIntegrationActor: integrationActor,
}
