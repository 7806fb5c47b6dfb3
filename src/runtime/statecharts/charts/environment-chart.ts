/** The statechart of an Environment, in words. Source: requirement 3, "Environment lifecycle"; contract 2, 3. */
import { environmentMachine } from '../../../../machines/environment.ts'
import type { Chart } from './chart.ts'

export const environmentChart: Chart = {
  title: 'Environment',
  about:
    'One of the three Environments of a Project. It is born in `provisioning` and has to be moved to `active` before it ' +
    'takes configuration revisions and deployments; whoever moves it says which lifecycle it has seen. While it is ' +
    '`active` it decides which Configuration Revision is its head and which Deployment serves: of several that build on ' +
    'the same head, or on the same generation, one comes through. It is `deleting` while its Project is being removed, ' +
    'nothing serves any more, and nothing leads back from there.',
  machine: environmentMachine,
  input: { headRevisionId: 'cfr_…' },
  events: {
    create: { by: 'server', says: 'It comes with its Project: `POST /api/v1/projects`.' },
    activate: {
      by: 'command',
      says: '`PATCH /api/v1/projects/{projectId}/environments/{environmentId}` with the lifecycle `active`.',
    },
    takeConfiguration: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/configuration-revisions`.',
    },
    admitDeployment: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.',
    },
    activateDeployment: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/activations`.',
    },
    delete: { by: 'server', says: 'The Project is being removed.' },
  },
  guards: {
    provisioningExpected: 'The sender expects the Environment to be in `provisioning`, as it is.',
    headExpected: 'The revision that the sender has seen is still the head.',
    generationExpected: 'Nothing has been activated since the generation that the sender has seen.',
  },
  deadlines: {},
  effects: {},
}
