/** The statechart of an Environment, in words. Source: requirement 3, "Environment lifecycle"; contract 2. */
import { environmentMachine } from '../../machines/environment.ts'
import type { Chart } from './chart.ts'

export const environmentChart: Chart = {
  title: 'Environment',
  about:
    'One of the three Environments of a Project. It is born in `provisioning` and has to be moved to `active` before it ' +
    'takes configuration revisions and deployments; whoever moves it says which lifecycle it has seen. It is `deleting` ' +
    'while its Project is being removed, and nothing leads back from there.',
  machine: environmentMachine,
  input: {},
  guards: {
    provisioningExpected: 'The sender expects the Environment to be in `provisioning`, as it is.',
  },
  deadlines: {},
  effects: {},
}
