/** The statechart of a Deployment, in words. Source: contract 3, "Deployment". */
import { deploymentMachine } from '../../../../machines/deployment.ts'
import type { Chart } from './chart.ts'

export const deploymentChart: Chart = {
  title: 'Deployment',
  about:
    'A Release prepared for one Environment under one Configuration Revision. Each state asks for its work when it is ' +
    'entered and moves on with the answer; a server that stops or crashes in between does that work again. Until it is ' +
    '`ready` a Deployment can be canceled, and fails when what it pins does not fit together. Nothing changes one that is ' +
    '`ready`, `failed` or `canceled`; a `ready` one can be activated, again and again.',
  machine: deploymentMachine,
  input: undefined,
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.' },
    taken: { by: 'server', says: 'Its turn has come.' },
    validated: { by: 'server', says: 'Everything that it pins is there and fits.' },
    provisioned: { by: 'server', says: 'Every secret that it needs can be read.' },
    materialized: { by: 'server', says: 'Its bundle is stored.' },
    rejected: { by: 'server', says: 'The work of the state has found what is wrong.' },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/cancel`.',
    },
    activate: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/activations` asks whether there is this row; it is the Environment that changes.',
    },
  },
  guards: {},
  deadlines: {
    stepDeadline: { limits: 'The work of one state.' },
  },
  effects: {
    takeUp: 'Takes the Deployment up.',
    validate:
      'Looks at everything that the Release and the Configuration Revision pin: bindings, connections, variables, ' +
      'credentials and grants. All problems are found together.',
    provision: 'Proves that every secret the Deployment refers to can be read.',
    materialize: 'Puts together the bundle that runs are served from, and stores it with its digest.',
  },
}
