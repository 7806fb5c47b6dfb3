/**
 * One Environment of a Project; the actor's id is the Environment's.
 * Source: requirement 3, "Environment lifecycle"; contract 2, 3.
 */
import { assign, setup } from 'xstate'
import type { Stamp } from './words.ts'

export interface EnvironmentContext {
  /** 0 at creation, +1 for each activation. */
  generation: number
  activeDeploymentId: string | null
  /** The one that was active before the last change of it. */
  previousDeploymentId: string | null
  /** The configuration head: the latest Configuration Revision, and its number. */
  headRevisionId: string
  headNumber: number
}

export type EnvironmentEvent =
  /** `expected` is the lifecycle that the sender has seen. */
  | (Stamp & { type: 'activate'; expected: string })
  /** A new Configuration Revision is to follow the head that the sender has seen. */
  | (Stamp & { type: 'takeConfiguration'; expectedHead: string; revisionId: string })
  /** A Deployment for this Environment is to be prepared. */
  | (Stamp & { type: 'admitDeployment' })
  /** A Deployment that is ready is to serve, in place of what the generation that the sender has seen stands for. */
  | (Stamp & { type: 'activateDeployment'; deploymentId: string; expectedGeneration: number })
  /** From whoever removes the Project. */
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
