/** The statechart of an organization's integration, in words. Source: contract 4, "Integration". */
import { integrationMachine } from '../../../../machines/integration.ts'
import type { Chart } from './chart.ts'

export const integrationChart: Chart = {
  title: 'Integration',
  about:
    'The OAuth client that an organization has registered with a provider. It begins `active`, because it is only stored ' +
    'once the provider knows it. When a verification finds that the provider refuses it, it is `misconfigured`, and no ' +
    'consent can be started with it until a verification or a rotation succeeds. An outage of the provider says nothing ' +
    'about the client, and changes nothing. A rotation adds a version; flows that have begun keep theirs.',
  machine: integrationMachine,
  input: { at: 0, versionId: 'inv_01h455vb4pex5vsknk084sn02q', clientId: 'client' },
  events: {
    register: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/integrations`.' },
    verified: {
      by: 'report',
      says: 'The provider, asked by `POST /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}/verify`, knows the client.',
    },
    verificationFailed: {
      by: 'report',
      says: 'The provider, asked by `POST /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}/verify`, refuses the client.',
    },
    rotated: {
      by: 'command',
      says: '`PATCH /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}` with another client id or secret, which the provider knows.',
    },
  },
  guards: {
    ofThisVersion: 'The provider was asked about the version that is still the current one.',
  },
  deadlines: {},
  effects: {},
}
