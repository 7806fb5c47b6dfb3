/**
 * One Deployment; the actor's id is the Deployment's. Source: contract 3, "Deployment"; requirement 6, "deployment".
 * Entering a state requests its work, which answers with an event that only this state accepts: a repeated answer has
 * no effect.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, isMissed, type Stamp } from './words.ts'

/** One problem that prevents a Deployment from becoming ready. */
export interface DeploymentIssue {
  code: string
  /** The location: `/agents/support-desk/bindings/shop`. */
  path: string
  message: string
}

/** Why a Deployment failed. */
interface DeploymentFailure extends Cause {
  issues?: DeploymentIssue[]
}

export interface DeploymentContext {
  failure: DeploymentFailure | null
  /** The bundle's digest, once it is stored. */
  digest: string | null
  readyAt: number | null
}

export type DeploymentEvent =
  /** The Deployment is next in the queue. */
  | (Stamp & { type: 'taken' })
  /** All pinned resources exist, are in force and are compatible. */
  | (Stamp & { type: 'validated' })
  /** Every referenced secret can be read. */
  | (Stamp & { type: 'provisioned' })
  /** The bundle is stored with this event. */
  | (Stamp & { type: 'materialized'; digest: string })
  /** The state's work failed: the Deployment cannot become ready. */
  | (Stamp & { type: 'rejected'; failure: DeploymentFailure })
  | (Stamp & { type: 'cancel' })
  /** The Environment is about to activate the Deployment; this only checks whether it can serve. */
  | (Stamp & { type: 'activate' })

export const deploymentMachine = setup({
  types: {
    context: {} as DeploymentContext,
    events: {} as DeploymentEvent,
  },
  guards: {
    deadlineMissed: ({ event }) => isMissed(event),
  },
  delays: {
    stepDeadline: 600_000,
  },
  actions: {
    takeUp: effect,
    validate: effect,
    provision: effect,
    materialize: effect,
    noteFailure: assign(({ event }) => (event.type === 'rejected' ? { failure: event.failure } : {})),
    noteLateness: assign({
      failure: { code: 'deadline_exceeded', message: 'The state timed out after ten minutes.' },
    }),
    noteBundle: assign(({ event }) =>
      event.type === 'materialized' ? { digest: event.digest, readyAt: event.at } : {},
    ),
  },
}).createMachine({
  id: 'deployment',
  version: '1',
  context: { failure: null, digest: null, readyAt: null },
  initial: 'preparing',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    preparing: {            on:    { rejected:     { target: '#failed', actions: 'noteFailure' },
                                     cancel:       { target: '#canceled' } },
                            initial: 'queued', states: {
      'queued':           { entry: 'takeUp',
                            on:    { taken:        { target: 'validating' } },
                            after: { stepDeadline: [{ target: 'queued', guard: 'deadlineMissed', reenter: true },
                                                    { target: '#failed', actions: 'noteLateness' }] } },
      'validating':       { entry: 'validate',
                            on:    { validated:    { target: 'provisioning' } },
                            after: { stepDeadline: [{ target: 'validating', guard: 'deadlineMissed', reenter: true },
                                                    { target: '#failed', actions: 'noteLateness' }] } },
      'provisioning':     { entry: 'provision',
                            on:    { provisioned:  { target: 'materializing' } },
                            after: { stepDeadline: [{ target: 'provisioning', guard: 'deadlineMissed', reenter: true },
                                                    { target: '#failed', actions: 'noteLateness' }] } },
      'materializing':    { entry: 'materialize',
                            on:    { materialized: { target: '#ready', actions: 'noteBundle' } },
                            after: { stepDeadline: [{ target: 'materializing', guard: 'deadlineMissed', reenter: true },
                                                    { target: '#failed', actions: 'noteLateness' }] } },
    } },
    terminal: {             initial: 'ready', states: {
      'ready':            { id: 'ready',
                            on:    { activate:     { target: 'ready' } } },
      'failed':           { id: 'failed' },
      'canceled':         { id: 'canceled',
                            on:    { cancel:       { target: 'canceled' } } },
    } },
  },
})

/** Descriptions of the Deployment's statechart. Source: contract 3, "Deployment". */
export const deploymentChart = {
  title: 'Deployment',
  about:
    'A Release prepared for one Environment under one Configuration Revision. Each state starts its work on entry ' +
    'and ends with the result; after a stop or a crash the server repeats that work. Until it is ' +
    '`ready` a Deployment can be canceled, and fails if its pins do not fit together. A `ready`, `failed` or `canceled` ' +
    'Deployment never changes; a `ready` one can be activated any number of times.',
  machine: deploymentMachine,
  input: undefined,
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.' },
    taken: { by: 'server', says: 'The Deployment is next in the queue.' },
    validated: { by: 'server', says: 'All pinned resources exist and are compatible.' },
    provisioned: { by: 'server', says: 'Every referenced secret can be read.' },
    materialized: { by: 'server', says: 'The bundle is stored.' },
    rejected: { by: 'server', says: 'The work of the state found a problem.' },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/cancel`.',
    },
    activate: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/activations` checks that this row exists; only the Environment changes.',
    },
  },
  guards: {
    deadlineMissed: 'The deadline passed while the server was down: the work of the state begins again.',
  },
  deadlines: {
    stepDeadline: { limits: 'The work of one state.' },
  },
  effects: {
    takeUp: 'Starts to prepare the Deployment.',
    validate:
      'Validates all resources that the Release and the Configuration Revision pin: bindings, Connections, variables, ' +
      'credentials and grants. Reports all problems at once.',
    provision: 'Checks that every referenced secret can be read.',
    materialize: 'Builds the bundle that runs use, and stores it with its digest.',
  },
} satisfies ChartOf<typeof deploymentMachine>
