/**
 * One Environment of a Project; the actor's id is the Environment's.
 * Source: requirement 3, "Environment lifecycle"; contract 2, 3.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Stamp } from './words.ts'

export interface EnvironmentContext {
  /** 0 at creation, incremented by each activation. */
  generation: number
  activeDeploymentId: string | null
  /** The Deployment that was active before the current one. */
  previousDeploymentId: string | null
  /** The configuration head: the latest Configuration Revision and its number. */
  headRevisionId: string
  headNumber: number
}

export type EnvironmentEvent =
  /** `expected` is the lifecycle state that the sender has read. */
  | (Stamp & { type: 'activate'; expected: string })
  /** Adds a Configuration Revision after the head that the sender has read. */
  | (Stamp & { type: 'takeConfiguration'; expectedHead: string; revisionId: string })
  /** Admits a new Deployment for this Environment. */
  | (Stamp & { type: 'admitDeployment' })
  /** Activates a ready Deployment, if the generation is still the one that the sender has read. */
  | (Stamp & { type: 'activateDeployment'; deploymentId: string; expectedGeneration: number })
  /** Sent by the deletion of the Project. */
  | (Stamp & { type: 'delete' })

export const environmentMachine = setup({
  types: {
    input: {} as { headRevisionId: string },
    context: {} as EnvironmentContext,
    events: {} as EnvironmentEvent,
  },
  guards: {
    provisioningExpected: ({ event }) => event.type === 'activate' && event.expected === 'provisioning',
    headExpected: ({ context, event }) =>
      event.type === 'takeConfiguration' && event.expectedHead === context.headRevisionId,
    generationExpected: ({ context, event }) =>
      event.type === 'activateDeployment' && event.expectedGeneration === context.generation,
  },
  actions: {
    moveHead: assign(({ context, event }) =>
      event.type === 'takeConfiguration'
        ? { headRevisionId: event.revisionId, headNumber: context.headNumber + 1 }
        : {},
    ),
    serve: assign(({ context, event }) =>
      event.type === 'activateDeployment'
        ? {
            generation: context.generation + 1,
            activeDeploymentId: event.deploymentId,
            previousDeploymentId: context.activeDeploymentId,
          }
        : {},
    ),
    deactivate: assign({
      activeDeploymentId: null,
      previousDeploymentId: ({ context }) => context.activeDeploymentId,
    }),
  },
}).createMachine({
  id: 'environment',
  version: '1',
  context: ({ input }) => ({
    generation: 0,
    activeDeploymentId: null,
    previousDeploymentId: null,
    headRevisionId: input.headRevisionId,
    headNumber: 0,
  }),
  initial: 'provisioning',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'provisioning': { on: { activate:           { target: 'active', guard: 'provisioningExpected' },
                            delete:             { target: 'deleting' } } },
    'active':       { on: { takeConfiguration:  { target: 'active', guard: 'headExpected', actions: 'moveHead' },
                            admitDeployment:    { target: 'active' },
                            activateDeployment: { target: 'active', guard: 'generationExpected', actions: 'serve' },
                            delete:             { target: 'deleting', actions: 'deactivate' } } },
    'deleting':     { on: { delete:             { target: 'deleting' } } },
  },
})

/** Descriptions of the Environment's statechart. Source: requirement 3, "Environment lifecycle"; contract 2, 3. */
export const environmentChart = {
  title: 'Environment',
  about:
    'One of the three Environments of a Project. It starts in `provisioning` and must be moved to `active` before it ' +
    'accepts configuration revisions and deployments; each change of state names the expected current one. While it is ' +
    '`active` it decides which Configuration Revision is its head and which Deployment serves: of several that build on ' +
    'the same head, or on the same generation, one succeeds. It is `deleting` while its Project is being ' +
    'deleted: nothing is served, and no transition leaves this state.',
  machine: environmentMachine,
  input: { headRevisionId: 'cfr_…' },
  events: {
    create: { by: 'server', says: 'Created with its Project: `POST /api/v1/projects`.' },
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
    delete: { by: 'server', says: 'The Project is being deleted.' },
  },
  guards: {
    provisioningExpected: 'The sender expects the Environment to be in `provisioning`.',
    headExpected: 'The head is the revision that the sender expects.',
    generationExpected: 'The generation is the one that the sender expects.',
  },
  deadlines: {},
  effects: {},
} satisfies ChartOf<typeof environmentMachine>
